// The zero-mean filter of each column, for checking zeromean_vertical.toml.
#include <cstddef>
#include <vector>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int height = *static_cast<const int*>(arguments[0]);
  const int width = *static_cast<const int*>(arguments[1]);
  auto* image = static_cast<float*>(arguments[2]);
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<double> mean(width);
    const int rows = (height + 1 - parity) / 2;
    for (int y = parity; y < height; y += 2)
      for (int x = 0; x < width; ++x) mean[x] += image[y * width + x] / static_cast<double>(rows);
    for (int y = parity; y < height; y += 2)
      for (int x = 0; x < width; ++x) image[y * width + x] = static_cast<float>(image[y * width + x] - mean[x]);
  }
}
