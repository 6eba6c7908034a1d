// The products of many pairs of small matrices, for checking gemm_batched.cl: A has size_b rows of size_a elements, B
// size_a rows of size_c, C size_b rows of size_c.
//
// The kernel gets the sizes as macros. The reference computes them from the lengths of the buffers: a matrix of A, B
// and C has size_a * size_b, size_a * size_c and size_b * size_c elements.
#include <cmath>
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* a = static_cast<const float*>(arguments[0]);
  const auto* b = static_cast<const float*>(arguments[1]);
  auto* c = static_cast<float*>(arguments[2]);
  const auto batch = static_cast<std::size_t>(*static_cast<const int*>(arguments[3]));
  const std::size_t matrix_a = lengths[0] / batch;
  const std::size_t matrix_b = lengths[1] / batch;
  const std::size_t matrix_c = lengths[2] / batch;
  const auto size_a = static_cast<std::size_t>(std::llround(std::sqrt(matrix_a * matrix_b / matrix_c)));
  const std::size_t size_b = matrix_a / size_a;
  const std::size_t size_c = matrix_b / size_a;
  for (std::size_t product = 0; product < batch; ++product) {
    const float* of_a = a + product * matrix_a;
    const float* of_b = b + product * matrix_b;
    for (std::size_t y = 0; y < size_b; ++y) {
      for (std::size_t x = 0; x < size_c; ++x) {
        double sum = 0.0;
        for (std::size_t k = 0; k < size_a; ++k)
          sum += static_cast<double>(of_a[y * size_a + k]) * of_b[k * size_c + x];
        c[product * matrix_c + y * size_c + x] = static_cast<float>(sum);
      }
    }
  }
}
