// The product of two square matrices, for checking matmul.toml. All cores take part, each with rows of its own.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kRows = 4;      // of the result that share what is read of the second matrix
constexpr std::size_t kColumns = 64;  // of the second matrix that lie side by side in a cache meanwhile

#pragma GCC optimize("O3")  // vectorises the loop over columns
void multiply_piece(const float* a, const float* columns, std::size_t n, float* c) {
  float sum[kRows][kColumns] = {};
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t column = 0; column < kColumns; ++column)
        sum[row][column] += a[row * n + k] * columns[k * kColumns + column];
  for (std::size_t row = 0; row < kRows; ++row) std::copy_n(sum[row], kColumns, c + row * n);
}

void multiply_rows(const float* a, const float* b, float* c, std::size_t n, std::size_t first, std::size_t last) {
  std::vector<float> columns(n * kColumns);
  for (std::size_t column = 0; column < n; column += kColumns) {
    for (std::size_t k = 0; k < n; ++k) std::copy_n(b + k * n + column, kColumns, columns.data() + k * kColumns);
    for (std::size_t row = first; row < last; row += kRows)
      multiply_piece(a + row * n, columns.data(), n, c + row * n + column);
  }
}

}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* c = static_cast<float*>(arguments[0]);
  const auto* a = static_cast<const float*>(arguments[1]);
  const auto* b = static_cast<const float*>(arguments[2]);
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(lengths[0])));
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 64);
  const std::size_t rows = (n / kRows + threads - 1) / threads * kRows;
  std::vector<std::jthread> pool;
  for (std::size_t first = 0; first < n; first += rows)
    pool.emplace_back(multiply_rows, a, b, c, n, first, std::min(first + rows, n));
}
