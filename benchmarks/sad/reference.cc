// Sums of absolute differences, for checking sad.cl and sad.cu.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* current = static_cast<const std::uint8_t*>(arguments[0]);
  const auto* previous = static_cast<const std::uint8_t*>(arguments[1]);
  auto* sads = static_cast<std::uint16_t*>(arguments[2]);
  const int width = *static_cast<const int*>(arguments[3]);
  const int height = *static_cast<const int*>(arguments[4]);
  const auto side = static_cast<int>(std::lround(std::sqrt(16.0 * lengths[2] / lengths[0])));
  const int radius = side / 2;

  // The previous frame with an edge as wide as the longest displacement.
  const int pitch = width + 2 * radius;
  std::vector<std::uint8_t> padded(static_cast<std::size_t>(pitch) * (height + 2 * radius));
  for (std::size_t i = 0; i < padded.size(); ++i) {
    const int x = std::clamp(static_cast<int>(i % pitch) - radius, 0, width - 1);
    const int y = std::clamp(static_cast<int>(i / pitch) - radius, 0, height - 1);
    padded[i] = previous[y * width + x];
  }
  // The order of the results: macroblock by macroblock, then part by part, then displacement by displacement.
  for (int top = 0; top < height; top += 16)
    for (int left = 0; left < width; left += 16)
      for (int part = 0; part < 16; ++part)
        for (int displacement = 0; displacement < side * side; ++displacement) {
          const int y = top + part / 4 * 4;
          const int x = left + part % 4 * 4;
          const std::uint8_t* own = current + y * width + x;
          const std::uint8_t* other = padded.data() + (y + displacement / side) * pitch + x + displacement % side;
          int sum = 0;
          for (int row = 0; row < 4; ++row)
            for (int column = 0; column < 4; ++column)
              sum += std::abs(own[row * width + column] - other[row * pitch + column]);
          *sads++ = static_cast<std::uint16_t>(sum);
        }
}
