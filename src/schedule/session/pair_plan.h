// Plans of the policy `paired` for swept pairs. The rows of the sweep are the ways that the policy knows. Pilots, which
// are short runs, add twins on SMs of their own. The plan is the fastest of what the policy chooses, the best row, the
// best baseline, and many streams with and without priorities, each run by the scheduler.
#pragma once

#include <optional>
#include <vector>

#include "schedule/interface/arrivals.h"
#include "schedule/interface/trace.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Returns the ways that the sweep has measured, with the speeds that both kernels had while both ran. The kernel that
// ended later ran on alone for a while, at most as fast as it does alone in its share; that time is taken off.
std::vector<PairForecast> swept_ways(const Machine& machine, const PairSweep& sweep,
                                     const std::optional<PairWatts>& watts = {});

// The work of a sweep as a queue: each kernel as often as in the sweep, all there from the beginning. The machine and
// the sweep must outlive it.
class PairPlan {
 public:
  // Runs pilots if both kernels have persistent twins. Then it runs the queue as the policy chooses by the speeds of
  // the rows, as in the fastest row, as in the fastest baseline, and in many streams. It keeps to the fastest of these.
  // Fails as pilots and run() do.
  static Result<PairPlan> make(Machine& machine, const PairSweep& sweep);
  // Runs in this way from now on; one after the other if the shape is empty.
  void keep_to(const PairShape& shape);
  // Runs the queue, and returns the time from its first block to its last. Fails as run_queue() does.
  Result<Nanoseconds> run();
  // Returns the first way in which both kernels shared the GPU in the last run. If they never did, it has no shape and
  // the rates of the way that was forecast to be best. It has the proven way if the plan keeps to one, with the speeds
  // that this run showed. Precondition: run() was called.
  PairForecast way() const;

 private:
  PairPlan(Machine& machine, const PairSweep& sweep, PairForecast known);
  Result<void> choose();
  std::vector<PairShape> shapes_to_choose_from() const;
  void prove(const std::optional<ProvenWay>& proven);

  Machine* machine_;
  const PairSweep* sweep_;
  PairForecast known_;  // all ways that were measured
  PairTable table_;
  PairTable shown_;  // the table as the last run has corrected it
  std::vector<Arrival> works_;
  Trace trace_;  // trace of the last run
};

}  // namespace wattune::schedule
