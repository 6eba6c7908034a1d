// The sum of two vectors, for checking vector_add.toml.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* c = static_cast<float*>(arguments[0]);
  const auto* a = static_cast<const float*>(arguments[1]);
  const auto* b = static_cast<const float*>(arguments[2]);
  for (std::size_t i = 0; i < lengths[0]; ++i) c[i] = a[i] + b[i];
}
