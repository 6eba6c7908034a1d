// Forecast: which ways of running the kernel of benchmarks/gemm_batched are probably the fastest for a size, without
// measuring. It counts what a multiprocessor does for an element that is moved; how much that weighs was fitted to the
// times of 44 sizes on an H200.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sizes.h"
#include "wattune/core/value.h"

namespace batched_gemm {

// Values of parameters, by name.
using Values = std::vector<std::pair<std::string, wattune::Value>>;

// So many, the likeliest first; fewer where there are fewer. Takes about a millisecond.
std::vector<Values> likely_values(const Sizes& sizes, std::size_t count);

}  // namespace batched_gemm
