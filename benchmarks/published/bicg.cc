// The products of a matrix and of its transpose with a vector each, for checking bicg.toml.
#include <cstddef>
#include <vector>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* a = static_cast<const float*>(arguments[0]);
  const auto* x1 = static_cast<const float*>(arguments[1]);
  auto* y1 = static_cast<float*>(arguments[2]);
  const auto* x2 = static_cast<const float*>(arguments[3]);
  auto* y2 = static_cast<float*>(arguments[4]);
  const int m = *static_cast<const int*>(arguments[5]);
  const int n = *static_cast<const int*>(arguments[6]);
  std::vector<double> columns(m);
  for (int i = 0; i < n; ++i) {
    const float* row = a + static_cast<std::size_t>(i) * m;
    double sum = 0.0;
    for (int j = 0; j < m; ++j) {
      sum += static_cast<double>(row[j]) * x1[j];
      columns[j] += static_cast<double>(row[j]) * x2[i];
    }
    y1[i] = static_cast<float>(sum);
  }
  for (int j = 0; j < m; ++j) y2[j] = static_cast<float>(columns[j]);
}
