// The sum of a vector, for checking reduction.cl. The scratch arguments keep their contents, because the kernel leaves
// them unchanged too.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* data = static_cast<const float*>(arguments[0]);
  double sum = 0.0;
  for (std::size_t i = 0; i < lengths[0]; ++i) sum += data[i];
  *static_cast<float*>(arguments[2]) = static_cast<float>(sum);
}
