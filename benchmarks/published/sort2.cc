// Sorted keys and their values, which are equal, for checking sort2.toml. Keys below 1,024 are counted.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* keys = static_cast<unsigned*>(arguments[0]);
  auto* values = static_cast<unsigned*>(arguments[1]);
  std::size_t count[1024] = {};
  for (std::size_t i = 0; i < lengths[0]; ++i) ++count[keys[i]];
  for (unsigned key = 0; key < 1024; ++key)
    for (std::size_t i = 0; i < count[key]; ++i) *keys++ = *values++ = key;
}
