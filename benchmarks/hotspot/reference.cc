// The temperature of a chip after some time steps, for checking hotspot.cl and hotspot.cu.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace {
template <typename T>
const T& scalar(void* argument) {
  return *static_cast<const T*>(argument);
}
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* power = static_cast<const float*>(arguments[0]);
  const auto* temperature = static_cast<const float*>(arguments[1]);
  const int width = scalar<int>(arguments[3]);
  const int height = scalar<int>(arguments[4]);
  const int steps = scalar<int>(arguments[5]);
  const double step_over_capacity = scalar<float>(arguments[6]);
  const double conductance_x = scalar<float>(arguments[7]);
  const double conductance_y = scalar<float>(arguments[8]);
  const double conductance_z = scalar<float>(arguments[9]);
  const double ambient = scalar<float>(arguments[10]);

  std::vector<double> now(temperature, temperature + lengths[1]);
  std::vector<double> next(now.size());
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < height; ++y) {
      // A cell beyond the edge is as warm as the cell at the edge.
      const double* here = &now[static_cast<std::size_t>(y) * width];
      const double* north = y > 0 ? here - width : here;
      const double* south = y < height - 1 ? here + width : here;
      for (int x = 0; x < width; ++x) {
        const double west = here[std::max(x - 1, 0)];
        const double east = here[std::min(x + 1, width - 1)];
        const std::size_t cell = static_cast<std::size_t>(y) * width + x;
        next[cell] = here[x] + step_over_capacity * (power[cell] + (west + east - 2 * here[x]) * conductance_x +
                                                     (north[x] + south[x] - 2 * here[x]) * conductance_y +
                                                     (ambient - here[x]) * conductance_z);
      }
    }
    std::swap(now, next);
  }
  std::copy(now.begin(), now.end(), static_cast<float*>(arguments[2]));
}
