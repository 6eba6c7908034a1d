// Runs schedulers to their end, and finds the results that tests ask for.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/interface/scheduler.h"

namespace wattune::inline v0_1::schedule {

inline void step(Scheduler& scheduler, Machine& machine) {
  scheduler.dispatch();
  scheduler.note(machine.wait(scheduler.deadline()));
}

inline void run_to_end(Scheduler& scheduler, Machine& machine) {
  for (int steps = 0; !scheduler.is_idle(); ++steps) {
    ASSERT_LT(steps, 100000) << "the queue does not get empty";
    step(scheduler, machine);
  }
}

// Returns the result of each work, by its number.
inline std::map<WorkId, Result<WorkStatistics>> results(Scheduler& scheduler) {
  std::map<WorkId, Result<WorkStatistics>> by_work;
  for (Finished& finished : scheduler.take_finished()) by_work.emplace(finished.work, std::move(finished.result));
  return by_work;
}

// True if the launches of this work ran each of its blocks once, in whichever order they ended.
inline bool ran_each_block_once(const Trace& trace, WorkId work, std::uint64_t blocks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const Span& span : trace.spans())
    if (span.work == work && span.blocks > 0) ranges.emplace_back(span.first_block, span.first_block + span.blocks);
  std::ranges::sort(ranges);
  std::uint64_t next = 0;
  for (const auto& [first, end] : ranges) {
    if (first != next) return false;
    next = end;
  }
  return next == blocks;
}

}  // namespace wattune::schedule
