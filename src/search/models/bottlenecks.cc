#include "search/models/bottlenecks.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::search {

namespace {

constexpr Counter kInstructions[] = {fp32_instructions,      fp64_instructions,   integer_instructions,
                                     control_instructions,   memory_instructions, other_instructions,
                                     conversion_instructions};

double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

// Returns how far a value lies beyond `reaction`, as a share of the distance from `reaction` to 1.
double excess(double value, double reaction) { return std::max(0.0, (value - reaction) / (1.0 - reaction)); }

void relieve_traffic(const Counters& counters, Counter reads, Counter writes, Counter utilisation, Changes& changes) {
  const double busy = counters.value_or(utilisation, 0.0);
  const double read = counters.value_or(reads, 0.0);
  const double written = counters.value_or(writes, 0.0);
  changes[reads] = -busy * share(read, read + written);
  changes[writes] = -busy * share(written, read + written);
}

// Returns the profiler's own figure, or an estimate if there is none. The estimate is the local stores as a share of
// the writes to the second-level cache.
double overhead_of_local_memory(const Counters& counters) {
  const double estimate = share(counters.value_or(local_stores, 0.0), counters.value_or(l2_writes, 0.0));
  return std::min(1.0, counters.value_or(local_overhead, estimate));
}

void relieve_memory(const Counters& counters, Changes& changes) {
  relieve_traffic(counters, dram_reads, dram_writes, dram_utilisation, changes);
  relieve_traffic(counters, l2_reads, l2_writes, l2_utilisation, changes);
  relieve_traffic(counters, shared_loads, shared_stores, shared_utilisation, changes);
  changes[global_loads] = -counters.value_or(global_load_utilisation, 0.0);
  const double busiest = std::max({counters.value_or(dram_utilisation, 0.0), counters.value_or(l2_utilisation, 0.0),
                                   counters.value_or(global_load_utilisation, 0.0)});
  changes[local_loads] = changes[local_stores] = -overhead_of_local_memory(counters) * busiest;
}

void relieve_instructions(const Counters& counters, double reaction, Changes& changes) {
  double all = 0.0;
  for (const Counter type : kInstructions) all += counters.value_or(type, 0.0);
  const double utilisation = std::min(1.0, counters.value_or(instruction_utilisation, 0.0));
  double largest = counters.value_or(special_utilisation, 0.0);
  for (const Counter type : kInstructions) {
    const double part = share(counters.value_or(type, 0.0), all);
    changes[type] = -excess(part * utilisation, reaction);
    largest = std::max(largest, part);
  }
  changes[issue_utilisation] = (1.0 - counters.value_or(issue_utilisation, 1.0)) * excess(largest, reaction);
}

}  // namespace

Changes desired_changes(const Counters& counters, double reaction) {
  Changes changes{};
  relieve_memory(counters, changes);
  relieve_instructions(counters, reaction, changes);
  changes[multiprocessor_activity] = 1.0 - counters.value_or(multiprocessor_activity, 1.0);
  for (double& change : changes) change = std::clamp(change, -1.0, 1.0);
  return changes;
}

}  // namespace wattune::search
