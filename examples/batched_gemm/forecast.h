// Forecast: which ways of running the kernel of benchmarks/gemm_batched are probably the fastest for a size, without
// measuring. It counts what a multiprocessor does for an element that is moved; how much that weighs was fitted to the
// times of 44 sizes on an H200.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sizes.h"
#include "wattune/core/value.h"

namespace batched_gemm {

// The parameters of the kernel; benchmarks/gemm_batched/gemm_batched.cu says what they do.
struct Way {
  std::int64_t share = 1;     // GROUP_SIZE_Y: threads that share a column of C
  std::int64_t products = 1;  // GROUP_SIZE_Z: of a block
  bool in_registers = false;  // CACHING_STRATEGY is 2: a thread's elements of C are computed together
  std::int64_t pad_row = 0;
  std::int64_t pad_matrix = 0;
  std::int64_t pad_threads = 0;
  bool direct = true;
  bool unrolled = false;
};

// Values of parameters, by name.
using Values = std::vector<std::pair<std::string, wattune::Value>>;
Values values_of(const Way& way);

// Those that are possible, without kinds that are the fastest for hardly any size.
std::vector<Way> ways_for(const Sizes& sizes);

// What slows a way down: shared memory beyond what is hidden, too few bytes under way, sectors of C that are written
// again, elements of A that are copied to a place of their own, a number of threads unlike the usual, rows in
// registers; and what makes up for some of that, a long unrolled body.
using Burdens = std::array<double, 7>;
Burdens burdens_of(const Sizes& sizes, const Way& way);
// The weights of these in the logarithm of the time, as tests/perf/forecast_fit.cc fits them.
inline constexpr Burdens kWeights = {0.395, 0.396, 0.106, 0.313, 0.054, 0.028, -0.129};

// So many, the likeliest first; fewer where there are fewer. Takes about half a millisecond.
std::vector<Values> likely_values(const Sizes& sizes, std::size_t count);

}  // namespace batched_gemm
