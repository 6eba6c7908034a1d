// Matrix multiplication, for checking gemm.cc.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* a = static_cast<const float*>(arguments[0]);
  const auto* b = static_cast<const float*>(arguments[1]);
  auto* c = static_cast<float*>(arguments[2]);
  const int size = *static_cast<const int*>(arguments[3]);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) {
      double sum = 0.0;
      for (int k = 0; k < size; ++k) sum += static_cast<double>(a[row * size + k]) * b[k * size + column];
      c[row * size + column] = static_cast<float>(sum);
    }
}
