// Computes how much points would gain by a new centre, for checking streamcluster.cl and streamcluster.cu.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  constexpr std::size_t kDimensions = 64;
  const auto* points = static_cast<const float*>(arguments[0]);
  const auto* weights = static_cast<const float*>(arguments[1]);
  const auto* costs = static_cast<const float*>(arguments[2]);
  auto* gains = static_cast<float*>(arguments[3]);
  const auto n = static_cast<std::size_t>(*static_cast<const int*>(arguments[4]));
  const auto centre = static_cast<std::size_t>(*static_cast<const int*>(arguments[5]));
  for (std::size_t i = 0; i < n; ++i) {
    double square = 0.0;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const double off = static_cast<double>(points[d * n + i]) - points[d * n + centre];
      square += off * off;
    }
    gains[i] = static_cast<float>(costs[i] - weights[i] * square);
  }
}
