// The product of a sparse matrix and a vector, for checking spmv.toml.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* y = static_cast<float*>(arguments[0]);
  const auto* row_starts = static_cast<const int*>(arguments[1]);
  const auto* columns = static_cast<const int*>(arguments[2]);
  const auto* values = static_cast<const float*>(arguments[3]);
  const auto* x = static_cast<const float*>(arguments[4]);
  for (std::size_t row = 0; row < lengths[0]; ++row) {
    double sum = 0.0;
    for (int i = row_starts[row]; i < row_starts[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
    y[row] = static_cast<float>(sum);
  }
}
