#include <algorithm>
#include <cmath>
#include <cstddef>

// The arguments in their order: blurred, picture, nearest, columns, rows. Pixels are four bytes each, row by row.
extern "C" void reference(void* const* arguments, const std::size_t*) {
  unsigned char* blurred = static_cast<unsigned char*>(arguments[0]);
  const unsigned char* picture = static_cast<const unsigned char*>(arguments[1]);
  const int columns = *static_cast<const int*>(arguments[3]);
  const int rows = *static_cast<const int*>(arguments[4]);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int channel = 0; channel < 4; ++channel) {
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            sum +=
                picture[(std::clamp(y + dy, 0, rows - 1) * columns + std::clamp(x + dx, 0, columns - 1)) * 4 + channel];
        blurred[(y * columns + x) * 4 + channel] = static_cast<unsigned char>(std::lround(sum / 9.0));
      }
}
