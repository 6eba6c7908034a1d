// The likelihood of particles, for checking particle_filter.cl and particle_filter.cu.
#include <algorithm>
#include <cstddef>

namespace {
int number(void* argument) { return *static_cast<const int*>(argument); }
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  constexpr int kBackground = 100;
  constexpr int kObject = 228;
  const auto* frame = static_cast<const int*>(arguments[0]);
  const auto* at_x = static_cast<const float*>(arguments[1]);
  const auto* at_y = static_cast<const float*>(arguments[2]);
  const auto* offsets = static_cast<const int*>(arguments[3]);
  auto* likelihood = static_cast<float*>(arguments[4]);
  const int width = number(arguments[5]);
  const int height = number(arguments[6]);
  const int particles = number(arguments[7]);
  const int points = number(arguments[8]);
  for (int i = 0; i < particles; ++i) {
    const int x = static_cast<int>(at_x[i] + 0.5f);
    const int y = static_cast<int>(at_y[i] + 0.5f);
    double sum = 0.0;
    for (int k = 0; k < points; ++k) {
      const int pixel_x = std::clamp(x + offsets[2 * k], 0, width - 1);
      const int pixel_y = std::clamp(y + offsets[2 * k + 1], 0, height - 1);
      const int pixel = frame[pixel_y * width + pixel_x];
      const int background = pixel - kBackground;
      const int object = pixel - kObject;
      sum += (background * background - object * object) / 50.0;
    }
    likelihood[i] = static_cast<float>(sum / points);
  }
}
