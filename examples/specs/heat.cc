#include <cstddef>
#include <vector>

// The arguments in their order: next, plate, pitch, rows, steps.
extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  float* plate = static_cast<float*>(arguments[1]);
  const int pitch = *static_cast<const int*>(arguments[2]);
  const int rows = *static_cast<const int*>(arguments[3]);
  const int steps = *static_cast<const int*>(arguments[4]);
  for (int step = 0; step < steps; ++step) {
    const std::vector<float> before(plate, plate + lengths[1]);
    for (int y = 1; y < rows - 1; ++y)
      for (int x = 1; x < pitch - 1; ++x) {
        const int i = y * pitch + x;
        const float mean = 0.25f * (before[i - 1] + before[i + 1] + before[i - pitch] + before[i + pitch]);
        plate[i] = before[i] + 0.2f * (mean - before[i]);
      }
  }
}
