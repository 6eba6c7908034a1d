// Forecasts which configurations of the kernel of benchmarks/gemm_batched are probably the fastest for a size of the
// matrices, without measuring. The forecast counts the work of a multiprocessor for each element that is moved. The
// weights of this work were fitted to the times of 155 sizes on an H200.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sizes.h"
#include "wattune/core/value.h"

namespace batched_gemm {

// A configuration of the kernel, by its parameters, which benchmarks/gemm_batched/gemm_batched.cu explains.
struct Way {
  std::int64_t share = 1;     // GROUP_SIZE_Y: threads that share a column of C
  std::int64_t products = 1;  // GROUP_SIZE_Z: products of a block
  bool in_registers = false;  // CACHING_STRATEGY is 2: a thread's elements of C are computed together
  std::int64_t pad_row = 0;
  std::int64_t pad_matrix = 0;
  std::int64_t pad_threads = 0;
  bool direct = true;
  bool unrolled = false;

  bool operator==(const Way&) const = default;
};

// The values of parameters, by name.
using Values = std::vector<std::pair<std::string, wattune::Value>>;
Values values_of(const Way& way);

// Returns the possible configurations for a size. Kinds that are the fastest for hardly any size are left out.
std::vector<Way> ways_for(const Sizes& sizes);

// The work of a multiprocessor per element of the matrices that is moved.
struct Work {
  // In device memory.
  double written_again = 0.0;  // elements of C in sectors that are written more than once
  double lines_written = 0.0;  // lines that warps write to, if they write C directly
  // Work in shared memory and in the cache, which is a part of it.
  double passes = 0.0;      // passes in which warps read and write, with bank conflicts
  double lines_read = 0.0;  // lines read, if threads read B from device memory
  // Instructions of warps.
  double multiplying = 0.0;  // instructions that load, multiply and write
  double copying = 0.0;      // copies of a vector
  double scattering = 0.0;   // copies for which a place in padded matrices is computed
  double uneven = 0.0;       // rows that are tested in each step, because not all threads have as many
  double ragged = 0.0;       // conditional multiplications, because the last step is shorter
  double warps = 0.0;        // warps that begin and end
  // Properties of a multiprocessor's whole load. They have no unit.
  double solitude = 0.0;   // one over the blocks at once: with fewer, less copying overlaps with computing
  double gathering = 0.0;  // one over the kilobytes in flight, if blocks wait for all of their C before writing it
  double idleness = 0.0;   // logarithm of the warps that would fit over those that run
  double unusual = 0.0;    // squared logarithm of the threads of a block over the usual number
  double waiting = 0.0;    // 1 if a block has several warps, which wait for each other
  double drought = 0.0;    // logarithm of the kilobytes that keep the memory busy over the smaller number in flight
  double flood = 0.0;      // logarithm of the kilobytes in flight over a number that is too many
};
Work work_of(const Sizes& sizes, const Way& way);

// The weights of the members of Work. The weights of elements, lines, passes and instructions are in units of the time
// that device memory takes for an element. The weights of members without a unit are added to the logarithm of the
// time.
struct Weights {
  double written_again = 0.159;
  double lines_written = 1.67;
  double pass = 4.87;
  double line_read = 0.624;  // in passes
  double instruction = 1.37;
  double copying = 5.35;  // in instructions, as the four below
  double scattering = 16.2;
  double uneven = 1.25;
  double ragged = 0.642;
  double warp = 83.7;
  double overlap = 4.23;  // of memory, shared memory and instructions: from 1 (one after the other) to infinity
  double solitude = 0.0717;
  double gathering = 5.88;
  double idleness = 0.0734;
  double unusual = 0.026;
  double waiting = 0.0591;
  double drought = 0.384;
  double flood = 0.0688;
};

// Returns the logarithm of the forecast time over the time that moving the elements takes.
double forecast_time(const Work& work, const Weights& weights = {});

// Returns the configurations for a size, the most promising first. One that compiles slowly stands behind others whose
// forecast is up to 3 % longer, or more if compiling takes very long. Two of the first four compile quickly. The call
// takes about half a millisecond.
std::vector<Way> likely_ways(const Sizes& sizes, const Weights& weights = {});
// The number of guesses with which the tuning of a size begins.
constexpr std::size_t kGuesses = 8;
// Returns the values of the `count` most promising configurations, or of all configurations if there are fewer.
std::vector<Values> likely_values(const Sizes& sizes, std::size_t count);

}  // namespace batched_gemm
