// Matrix multiplication, for checking gemm.cl: A has K rows of M elements, B K rows of N, C N rows of M.
#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

struct Problem {
  std::size_t m;
  std::size_t n;
  std::size_t k;
  const float* a;
  const float* b;
  float* c;
};

// Computes some rows of C, in double precision. Two at a time share what is read of A.
void multiply(const Problem& problem, std::size_t begin, std::size_t end) {
  const std::size_t width = problem.m;
  std::vector<double> first(width);
  std::vector<double> second(width);
  for (std::size_t n = begin; n < end; n += 2) {
    const bool has_second = n + 1 < end;
    std::fill(first.begin(), first.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    for (std::size_t k = 0; k < problem.k; ++k) {
      const float* const a = problem.a + k * width;
      const double b_of_first = problem.b[k * problem.n + n];
      const double b_of_second = has_second ? problem.b[k * problem.n + n + 1] : 0.0;
      for (std::size_t m = 0; m < width; ++m) {
        first[m] += b_of_first * a[m];
        second[m] += b_of_second * a[m];
      }
    }
    for (std::size_t m = 0; m < width; ++m) problem.c[n * width + m] = static_cast<float>(first[m]);
    if (has_second)
      for (std::size_t m = 0; m < width; ++m) problem.c[(n + 1) * width + m] = static_cast<float>(second[m]);
  }
}

}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto size = [&](int i) { return static_cast<std::size_t>(*static_cast<const int*>(arguments[i])); };
  const Problem problem{size(0),
                        size(1),
                        size(2),
                        static_cast<const float*>(arguments[3]),
                        static_cast<const float*>(arguments[4]),
                        static_cast<float*>(arguments[5])};
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t rows = (problem.n + threads - 1) / threads;
  std::vector<std::thread> all;
  for (std::size_t begin = 0; begin < problem.n; begin += rows)
    all.emplace_back(multiply, problem, begin, std::min(problem.n, begin + rows));
  for (std::thread& each : all) each.join();
}
