// The transposed matrix, for checking transpose.cl.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  auto* output = static_cast<float*>(arguments[0]);
  const auto* input = static_cast<const float*>(arguments[1]);
  const int width = *static_cast<const int*>(arguments[2]);
  const int height = *static_cast<const int*>(arguments[3]);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) output[x * height + y] = input[y * width + x];
}
