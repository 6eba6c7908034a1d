// Arrivals: the kernels that a queue receives and their moments, drawn at random or recorded.
//
// All types are values, and any thread may use them. The kernels are always all kernels of a machine.
//
//   const auto arrivals = schedule::poisson_arrivals(machine, {.works = 1000, .load = 0.8});
//   WATTUNE_ASSIGN(const auto recorded, schedule::parse_arrivals(text, "trace.csv", machine));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// The arrival of one work in a queue: its moment, its kernel and its priority.
struct Arrival {
  Nanoseconds moment;  // moment, counted from the beginning of the run
  KernelId kernel = 0;
  int priority = 0;

  bool operator==(const Arrival&) const = default;
};

// Options for arrivals that are drawn at random.
struct ArrivalOptions {
  std::size_t works = 1000;
  // For Poisson arrivals: how many seconds the works that arrive in a second take alone, on average. A load of 1 just
  // keeps a GPU busy that runs one kernel at a time.
  double load = 1.0;
  std::uint64_t seed = 1;
};

// Returns the traits of all kernels of the machine, in the order of their ids.
std::vector<const KernelTraits*> kernels_of(const Machine& machine);

// Draws kernels with equal probability. All of them arrive at once, as in the queue of the Kernelet paper.
std::vector<Arrival> backlog(const Machine& machine, const ArrivalOptions& options);
// Draws kernels with equal probability and independent, exponentially distributed gaps between them.
std::vector<Arrival> poisson_arrivals(const Machine& machine, const ArrivalOptions& options);

// Parses a table of `moment_ms,kernel,priority`, one arrival per line, with ascending moments. The last column and the
// line with these names may be missing. Fails with parse_error, which names `file` and line, and with not_found if
// there is no such kernel (with the nearest name).
Result<std::vector<Arrival>> parse_arrivals(std::string_view text, const std::string& file, const Machine& machine);

}  // namespace wattune::schedule
