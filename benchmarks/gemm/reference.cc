// Matrix multiplication, for checking gemm.cl: A has K rows of M elements, B K rows of N, C N rows of M.
#include <cstddef>
#include <vector>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int m_size = *static_cast<const int*>(arguments[0]);
  const int n_size = *static_cast<const int*>(arguments[1]);
  const int k_size = *static_cast<const int*>(arguments[2]);
  const auto* a = static_cast<const float*>(arguments[3]);
  const auto* b = static_cast<const float*>(arguments[4]);
  auto* c = static_cast<float*>(arguments[5]);
  std::vector<double> row(static_cast<std::size_t>(m_size));
  for (int n = 0; n < n_size; ++n) {
    row.assign(row.size(), 0.0);
    for (int k = 0; k < k_size; ++k)
      for (int m = 0; m < m_size; ++m) row[m] += static_cast<double>(a[k * m_size + m]) * b[k * n_size + n];
    for (int m = 0; m < m_size; ++m) c[n * m_size + m] = static_cast<float>(row[m]);
  }
}
