// 7x7 convolution, for checking convolution.cl.
#include <cstddef>

namespace {
constexpr int kFilterSize = 7;
}

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int width = *static_cast<const int*>(arguments[0]);
  const int height = *static_cast<const int*>(arguments[1]);
  const auto* input = static_cast<const float*>(arguments[2]);
  const auto* filter = static_cast<const float*>(arguments[3]);
  auto* output = static_cast<float*>(arguments[4]);
  const int pitch = width + kFilterSize - 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0.0;
      for (int fy = 0; fy < kFilterSize; ++fy)
        for (int fx = 0; fx < kFilterSize; ++fx)
          sum += static_cast<double>(filter[fy * kFilterSize + fx]) * input[(y + fy) * pitch + x + fx];
      output[y * width + x] = static_cast<float>(sum);
    }
  }
}
