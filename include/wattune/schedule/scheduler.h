// Scheduler: a queue of works on one machine, driven by the events of the machine.
//
// It has no thread and no clock of its own, so that equal calls give equal runs; runtime.h puts one behind threads. It
// asks its policy whenever something arrived or ended, and turns the plan into launches: it starts what is new, stops
// what is to give way, resumes it at the next block, and keeps windows of slices full. The machine and the trace
// outlive it; one thread at a time.
//
//   schedule::Scheduler scheduler(machine, *schedule::find_policy("paired"));
//   WATTUNE_ASSIGN(const auto ids, scheduler.submit(works));
//   while (!scheduler.is_idle()) {
//     scheduler.dispatch();
//     scheduler.note(machine.wait(scheduler.deadline()));
//   }
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/policy.h"
#include "wattune/schedule/trace.h"
#include "wattune/schedule/work.h"

namespace wattune::schedule {

struct SchedulerOptions {
  std::size_t window =
      64;  // works that a decision looks at, and as many at most of other kernels, which bounds what it costs
  // For which a work beyond its limit, or one that was cancelled, may hold the machine. Then the machine is lost.
  Nanoseconds grace = nanoseconds_from_seconds(1);
  // For which what begins waits for the blocks of such a work to leave.
  Nanoseconds drain = nanoseconds_from_ms(10);
  double correction_weight = PairTable::kWeight;
  Objective objective = {};  // the policy's, for which the best way of a pair is found
  // Sets the clocks that plans ask for and restores them at the end; nullptr: the board has its own. Outlives it.
  backend::ClockControl* clocks = nullptr;
  Nanoseconds clock_hold = nanoseconds_from_seconds(1);  // for which clocks are held at least
};

class Scheduler {
 public:
  Scheduler(Machine& machine, Policy policy, const SchedulerOptions& options = {}, Trace* trace = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // All of them or none. not_found (a kernel, a work of `after`), invalid_argument (a grid without blocks, a block that
  // no SM holds, works that wait for each other), cancelled (a work of `after` has failed), device_lost.
  Result<std::vector<WorkId>> submit(std::span<const Work> works);
  // What waits ends at once, what runs or is launched behind something that does when its launches have ended:
  // persistent ones at the next block. False: there is no such work any more.
  bool cancel(WorkId work);

  // Asks the policy and launches what it wants.
  void dispatch();
  void note(const std::vector<Ended>& ended);
  // Until when to wait for the machine at the latest.
  Nanoseconds deadline() const;

  bool is_idle() const;     // no work is left
  bool is_running() const;  // launches are in flight
  std::size_t size() const;
  // Why no clocks are set any more, which the board has had back; none: all is well.
  const std::optional<Error>& clock_refusal() const;
  // Why nothing runs here any more; none: all is well.
  const std::optional<Error>& lost() const;

  // Works that ended since the last call, in the order in which they did.
  std::vector<Finished> take_finished();
  // Pairs of kernels that were seen since the last call and that the policy would know a forecast of.
  std::vector<std::pair<KernelId, KernelId>> take_unknown_pairs();
  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // All that this table holds, in place of what was known.
  void learn(PairTable table);
  const PairTable& table() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
