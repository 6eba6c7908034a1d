// Scheduler: a queue of works on one machine, driven by the events of the machine.
//
// It has no thread and no clock of its own, so that equal calls give equal runs; runtime.h adds threads. It asks its
// policy whenever a work arrived or ended, and turns the plan into launches. It starts new works, stops those that must
// give way, resumes them at the next block, and keeps windows of slices full. The machine and the trace must outlive
// the scheduler. Only one thread at a time may use it.
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

#include "schedule/interface/policy.h"
#include "schedule/interface/trace.h"
#include "wattune/core/result.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

struct SchedulerOptions {
  // The largest number of works that a decision considers, which bounds its cost. In addition it considers at most as
  // many works that are the first of other kernels.
  std::size_t window = 64;
  // The time for which a cancelled work, or a work beyond its limit, may hold the machine. After that the machine
  // counts as lost.
  Nanoseconds grace = nanoseconds_from_seconds(1);
  // The time for which new launches wait until the blocks of a cancelled work, or of a work beyond its limit, have
  // ended.
  Nanoseconds drain = nanoseconds_from_ms(10);
  double correction_weight = PairTable::kDefaultWeight;
  Objective objective = {};  // objective of the policy, for which the best way of a pair is found
  // Control of clocks, which sets the clocks that plans request and restores the board's own at the end. With nullptr,
  // the board keeps its own clocks. The control must outlive the scheduler.
  backend::ClockControl* clocks = nullptr;
  Nanoseconds clock_hold = nanoseconds_from_seconds(1);  // shortest time for which clocks are held
};

class Scheduler {
 public:
  Scheduler(Machine& machine, Policy policy, const SchedulerOptions& options = {}, Trace* trace = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Submits all of the works or none. Fails with not_found if a kernel or a work of `after` does not exist. Fails with
  // invalid_argument if a grid has no blocks, no SM holds a block, a limit is not positive, or works wait for each
  // other. Fails with cancelled if a work of `after` has failed, and with device_lost.
  Result<std::vector<WorkId>> submit(std::span<const Work> works);
  // Cancels a work. A waiting work ends at once. A work that runs, or is launched behind a running one, ends with its
  // launches; persistent launches end at the next block. Returns false if the work has ended or never existed.
  bool cancel(WorkId work);

  // Asks the policy and makes the launches of its plan.
  void dispatch();
  // Notes launches that ended, and the time and energy until now.
  void note(const std::vector<Ended>& ended);
  // Returns until when to wait for the machine at the latest.
  Nanoseconds deadline() const;

  bool is_idle() const;     // Tells whether no work is left.
  bool is_running() const;  // Tells whether launches are in flight.
  std::size_t size() const;
  // Returns why no clocks are set any more; nullopt if nothing was refused. The board has got its own clocks back by
  // then.
  const std::optional<Error>& clock_refusal() const;
  // Returns why nothing runs here any more; nullopt if the machine is not lost.
  const std::optional<Error>& lost() const;

  // Returns the works that ended since the last call, in the order of their ends.
  std::vector<Finished> take_finished();
  // Returns pairs of kernels that were seen first since the last call and have no forecast.
  std::vector<std::pair<KernelId, KernelId>> take_unknown_pairs();
  // Stores the forecast of a pair.
  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // Replaces everything that is known about pairs by this table.
  void learn(PairTable table);
  const PairTable& table() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::schedule
