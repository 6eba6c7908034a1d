// One step of a five-point stencil, for checking stencil.toml.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  constexpr std::size_t kWidth = 4096;
  constexpr std::size_t kHeight = 2048;
  auto* x_new = static_cast<float*>(arguments[0]);
  const auto* x_old = static_cast<const float*>(arguments[1]);
  for (std::size_t y = 1; y < kHeight - 1; ++y) {
    for (std::size_t x = 1; x < kWidth - 1; ++x) {
      const float* centre = x_old + y * kWidth + x;
      x_new[y * kWidth + x] = (centre[0] + centre[-1] + centre[1] + *(centre + kWidth) + *(centre - kWidth)) / 5.0F;
    }
  }
}
