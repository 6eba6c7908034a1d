// Repeated multiply-adds, for checking fma.cl and fma.cu.
#include <cmath>
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* from = static_cast<const float*>(arguments[0]);
  auto* to = static_cast<float*>(arguments[1]);
  const int steps = *static_cast<const int*>(arguments[3]);
  const double factor = *static_cast<const float*>(arguments[4]);
  const double addend = *static_cast<const float*>(arguments[5]);
  // The map x -> factor * x + addend leaves one number fixed. Each step multiplies the distance from this number by the
  // factor.
  const double fixed = addend / (1.0 - factor);
  const double remaining = std::pow(factor, steps);
  for (std::size_t i = 0; i < lengths[0]; ++i) to[i] = static_cast<float>(fixed + (from[i] - fixed) * remaining);
}
