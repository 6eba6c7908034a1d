// The product of two square matrices, for checking matmul.toml. All cores take part, each with rows of its own.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

// Rows of the result side by side share what they read of `b`, and columns in pieces let it stay in a cache.
constexpr std::size_t kRows = 4;
constexpr std::size_t kColumns = 256;

using Piece = float[kRows][kColumns];

#pragma GCC optimize("O3")  // vectorises the loop over columns
void add_products(const float* a, const float* b, std::size_t n, Piece& sum) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t column = 0; column < kColumns; ++column) sum[row][column] += a[row * n + k] * b[k * n + column];
}

void multiply_rows(const float* a, const float* b, float* c, std::size_t n, std::size_t first, std::size_t last) {
  for (std::size_t column = 0; column < n; column += kColumns) {
    for (std::size_t row = first; row < last; row += kRows) {
      Piece sum = {};
      add_products(a + row * n, b + column, n, sum);
      for (std::size_t i = 0; i < kRows; ++i) std::copy_n(sum[i], kColumns, c + (row + i) * n + column);
    }
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
