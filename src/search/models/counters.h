// Counters: the values of hardware counters that a GPU's profiler read while a kernel ran, with the same names for all
// architectures.
//
// Profilers call the same counter by different names: nvprof's metrics up to compute capability 7.0, names of CUPTI and
// Nsight Compute from 7.0 on. Amounts are counts (bytes are divided into sectors of 32), utilisations are shares of 1.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::search {

enum Counter : std::size_t {
  dram_reads,
  dram_writes,
  dram_utilisation,
  l2_reads,
  l2_writes,
  l2_utilisation,
  global_loads,  // number of loads through the texture and first-level cache
  global_load_utilisation,
  local_loads,
  local_stores,
  local_overhead,  // share of the traffic that local memory causes
  shared_loads,
  shared_stores,
  shared_utilisation,
  fp32_instructions,  // number of instructions, each counted once for every thread that executes it
  fp64_instructions,
  integer_instructions,
  control_instructions,
  memory_instructions,
  other_instructions,
  conversion_instructions,
  special_utilisation,      // utilisation of the units for special functions
  issue_utilisation,        // share of the issue slots in use
  instruction_utilisation,  // issue_utilisation relative to the most that one type of instructions can reach
  multiprocessor_activity,  // share of the time in which a multiprocessor has work
  counter_count
};

// A value for each counter; NaN if it was not counted.
class Counters {
 public:
  Counters() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }

  double& operator[](Counter counter) { return values_[counter]; }
  bool has(Counter counter) const { return !std::isnan(values_[counter]); }
  double value_or(Counter counter, double otherwise) const { return has(counter) ? values_[counter] : otherwise; }

 private:
  std::array<double, counter_count> values_{};
};

// Returns the counters among the metrics; nullopt if there are none. profiled_counters() lists CUPTI's names of these
// counters.
std::optional<Counters> counters_in(const std::vector<Metric>& metrics);

}  // namespace wattune::search
