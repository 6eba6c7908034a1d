// A sparse matrix times a vector, for checking spmv.cl and spmv.cu.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int rows = *static_cast<const int*>(arguments[0]);
  const auto* row_starts = static_cast<const int*>(arguments[1]);
  const auto* columns = static_cast<const int*>(arguments[2]);
  const auto* values = static_cast<const float*>(arguments[3]);
  const auto* x = static_cast<const float*>(arguments[4]);
  auto* y = static_cast<float*>(arguments[5]);
  for (int row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int i = row_starts[row]; i < row_starts[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
    y[row] = static_cast<float>(sum);
  }
}
