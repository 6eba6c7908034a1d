// The sum of two fields of a struct, for checking custom_argument_types.toml.
#include <cstddef>

namespace {
struct Data {
  float a, b, result;
};
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* data = static_cast<Data*>(arguments[0]);
  for (std::size_t i = 0; i < lengths[0]; ++i) data[i].result = data[i].a + data[i].b;
}
