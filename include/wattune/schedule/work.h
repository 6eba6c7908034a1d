// Work: a kernel's grid that somebody wants to have run, and what became of it.
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
  unsigned tenant = 0;  // who wants it, for traces and statistics
  int priority = 0;     // the higher, the earlier
  std::vector<WorkId> after = {};
  // Works of the same submission, by their places in it, that must have ended before.
  std::vector<std::size_t> after_in_batch = {};
  Nanoseconds limit = kForever;  // from its first launch to its end
  std::size_t copy = 0;          // whose buffers it uses, as Launch has it
};

struct WorkStatistics {
  Nanoseconds submitted;
  Nanoseconds started;  // its first block
  Nanoseconds ended;
  unsigned launches = 0;
  Nanoseconds solo;       // while nothing else ran
  Nanoseconds together;   // while something else did
  unsigned partners = 0;  // works that ran at the same time
  Joules energy;          // of the board while it ran, in equal parts with those beside it; 0: unknown

  Nanoseconds response() const { return ended - submitted; }
};

// A work that has left the scheduler.
struct Finished {
  WorkId work = 0;
  Result<WorkStatistics> result;
};

}  // namespace wattune::schedule
