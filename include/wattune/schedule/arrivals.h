// Arrivals: which kernels a queue is given, and when: drawn, or recorded.
//
// Values; any thread. The kernels are all those of a machine.
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

namespace wattune::schedule {

struct Arrival {
  Nanoseconds moment;  // from the beginning of the run
  KernelId kernel = 0;
  int priority = 0;

  bool operator==(const Arrival&) const = default;
};

struct ArrivalOptions {
  std::size_t works = 1000;
  // Of Poisson arrivals: solo time that arrives in a unit of time. At 1 a GPU that runs one kernel at a time is just
  // busy.
  double load = 1.0;
  std::uint64_t seed = 1;
};

std::vector<const KernelTraits*> kernels_of(const Machine& machine);

// Kernels drawn evenly, all at once, which is the paper's queue.
std::vector<Arrival> backlog(const Machine& machine, const ArrivalOptions& options);
// Kernels drawn evenly, with independent gaps.
std::vector<Arrival> poisson_arrivals(const Machine& machine, const ArrivalOptions& options);

// A table of `moment_ms,kernel,priority`, a line each, the moments ascending; the last column and the line with these
// names may be missing. parse_error, with `file` and line; not_found (a kernel, with the nearest name).
Result<std::vector<Arrival>> parse_arrivals(std::string_view text, const std::string& file, const Machine& machine);

}  // namespace wattune::schedule
