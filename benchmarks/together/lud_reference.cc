// A step of an LU decomposition, for checking lud.cl and lud.cu.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  constexpr std::size_t kPanel = 32;
  const auto* matrix = static_cast<const float*>(arguments[0]);
  auto* result = static_cast<float*>(arguments[1]);
  const auto n = static_cast<std::size_t>(*static_cast<const int*>(arguments[2]));
  const std::size_t rest = n - kPanel;
  for (std::size_t y = 0; y < rest; ++y)
    for (std::size_t x = 0; x < rest; ++x) {
      double product = 0.0;
      for (std::size_t k = 0; k < kPanel; ++k)
        product += static_cast<double>(matrix[(kPanel + y) * n + k]) * matrix[k * n + kPanel + x];
      result[y * rest + x] = static_cast<float>(matrix[(kPanel + y) * n + kPanel + x] - product);
    }
}
