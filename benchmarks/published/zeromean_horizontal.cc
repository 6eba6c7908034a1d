// The zero-mean filter of each row, for checking zeromean_horizontal.toml.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int height = *static_cast<const int*>(arguments[0]);
  const int width = *static_cast<const int*>(arguments[1]);
  auto* image = static_cast<float*>(arguments[2]);
  for (int y = 0; y < height; ++y) {
    float* row = image + static_cast<std::size_t>(y) * width;
    for (int parity = 0; parity < 2; ++parity) {
      double sum = 0.0;
      for (int x = parity; x < width; x += 2) sum += row[x];
      const double mean = sum / ((width + 1 - parity) / 2);
      for (int x = parity; x < width; x += 2) row[x] = static_cast<float>(row[x] - mean);
    }
  }
}
