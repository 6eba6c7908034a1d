// The sum of a vector, for checking reduction.toml.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* input = static_cast<const float*>(arguments[0]);
  double sum = 0.0;
  for (std::size_t i = 0; i < lengths[0]; ++i) sum += input[i];
  *static_cast<float*>(arguments[1]) = static_cast<float>(sum);
}
