// Work: a request to run a kernel's grid, and its statistics.
//
// Values; any thread.
//
//   const schedule::Work work{.kernel = fma, .tenant = 1, .after = {loaded.id}};
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

using WorkId = std::uint64_t;  // ascending in the order of submission

constexpr Nanoseconds kForever{std::numeric_limits<double>::infinity()};

struct Work {
  KernelId kernel = 0;
  unsigned tenant = 0;  // the client, for traces and statistics
  int priority = 0;     // higher ones run earlier
  std::vector<WorkId> after = {};
  // Works of the same submission, by their places in it, that must end before this one begins.
  std::vector<std::size_t> after_in_batch = {};
  Nanoseconds limit = kForever;  // from its first launch to its end
  std::size_t copy = 0;          // whose buffers it uses, as in Launch
};

struct WorkStatistics {
  Nanoseconds submitted;
  Nanoseconds started;  // its first block
  Nanoseconds ended;
  unsigned launches = 0;
  Nanoseconds solo;       // time while no other work ran
  Nanoseconds together;   // time while another work ran
  unsigned partners = 0;  // works that ran at the same time
  Joules energy;          // of the board while it ran, in equal parts with the works beside it; 0 if unknown

  Nanoseconds response() const { return ended - submitted; }
};

// A work that has left the scheduler.
struct Finished {
  WorkId work = 0;
  Result<WorkStatistics> result;
};

}  // namespace wattune::schedule
