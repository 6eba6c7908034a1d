// Forecast: which ways of running the kernel of benchmarks/gemm_batched are probably the fastest for a size, without
// measuring. It counts what a multiprocessor does for an element that is moved; how much that weighs was fitted to the
// times of 155 sizes on an H200.
#pragma once

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

  bool operator==(const Way&) const = default;
};

// Values of parameters, by name.
using Values = std::vector<std::pair<std::string, wattune::Value>>;
Values values_of(const Way& way);

// Those that are possible, without kinds that are the fastest for hardly any size.
std::vector<Way> ways_for(const Sizes& sizes);

// What a multiprocessor does, for each element of the matrices that is moved.
struct Work {
  // In device memory.
  double written_again = 0.0;  // elements of C in sectors that are written more than once
  double lines_written = 0.0;  // that warps write to, where they write C directly
  // In shared memory, and in the cache that is a part of it.
  double passes = 0.0;      // that warps take to read and write, with conflicts of banks
  double lines_read = 0.0;  // where threads read B from device memory
  // Instructions of warps.
  double multiplying = 0.0;  // to load, multiply and write
  double copying = 0.0;      // copies of a vector
  double scattering = 0.0;   // those of them for which a place in padded matrices is computed
  double uneven = 0.0;       // rows that are looked at in each step, because not all threads have as many
  double ragged = 0.0;       // multiplications that are conditional, because the last step is shorter
  double warps = 0.0;        // that begin and end
  // Of a multiprocessor as a whole.
  double solitude = 0.0;   // one over the blocks at once: the fewer, the less one copies while another computes
  double gathering = 0.0;  // one over the kilobytes under way, where blocks wait for all of their C before writing it
  double idleness = 0.0;   // logarithm of how many more warps would fit
  double unusual = 0.0;    // squared logarithm of the threads of a block over the usual number
  double waiting = 0.0;    // 1 where a block has several warps, which wait for each other
  double drought = 0.0;    // logarithm of what the memory needs to be busy over what is under way, which is less
  double flood = 0.0;      // logarithm of what is under way over what is more than enough
};
Work work_of(const Sizes& sizes, const Way& way);

// How much the members of Work weigh. Those that are elements, lines, passes and instructions are in the time that the
// device's memory takes for an element, and those without a unit add to the logarithm of the time.
struct Weights {
  double written_again = 0.159;
  double lines_written = 1.67;
  double pass = 4.87;
  double line_read = 0.624;  // in passes
  double instruction = 1.37;
  double copying = 5.35;  // in instructions, as those below
  double scattering = 16.2;
  double uneven = 1.25;
  double ragged = 0.642;
  double warp = 83.7;
  double overlap = 4.23;  // of memory, shared memory and instructions: from 1, one after the other, to infinity
  double solitude = 0.0717;
  double gathering = 5.88;
  double idleness = 0.0734;
  double unusual = 0.026;
  double waiting = 0.0591;
  double drought = 0.384;
  double flood = 0.0688;
};

// The logarithm of the time over what moving the elements takes.
double forecast_time(const Work& work, const Weights& weights = {});

// The likeliest first. What compiles for long comes behind what is forecast to be as good but for 3 %, or more where it
// takes longer, and two of the first four compile quickly. Takes about half a millisecond.
std::vector<Way> likely_ways(const Sizes& sizes, const Weights& weights = {});
// How many of them a size begins with, and its tuning tries first.
constexpr std::size_t kGuesses = 8;
// So many of them; fewer where there are fewer.
std::vector<Values> likely_values(const Sizes& sizes, std::size_t count);

}  // namespace batched_gemm
