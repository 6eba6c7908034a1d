// Plans of the policy `paired` for swept pairs. The ways that the policy knows are the rows of the sweep, and twins on
// SMs of their own, which pilots (short runs) measure. The plan is the fastest of several candidates, each of which the
// scheduler runs. These are the choice of the policy, the best row, the best baseline, and many streams with and
// without priorities.
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
// ended later ran alone at the end, and then at most as fast as it runs alone in its share. That time is subtracted.
std::vector<PairForecast> swept_ways(const Machine& machine, const PairSweep& sweep,
                                     const std::optional<PairWatts>& watts = {});

// The work of a sweep as a queue. Each kernel is in the queue as often as in the sweep, and all works are there from
// the beginning. The machine and the sweep must outlive this object.
class PairPlan {
 public:
  // Runs pilots if both kernels have persistent twins. Then it runs the queue in several ways. These are the policy's
  // choice by the speeds of the rows, the fastest row, the fastest baseline, and many streams. It keeps to the fastest
  // of these ways. Errors are those of pilots and of run().
  static Result<PairPlan> make(Machine& machine, const PairSweep& sweep);
  // Runs the queue in this way from now on. If the shape is empty, the kernels run one after the other.
  void keep_to(const PairShape& shape);
  // Runs the queue. Returns the time from its first block to its last. Errors are those of run_queue().
  Result<Nanoseconds> run();
  // Returns the first way in which both kernels shared the GPU in the last run. If they never shared it, the result has
  // no shape, and has the rates of the way with the best forecast. If the plan was told to keep to a proven way, the
  // result contains that way, with the speeds of the last run. Precondition: run() was called.
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
  PairTable shown_;  // the table with the corrections of the last run
  std::vector<Arrival> works_;
  Trace trace_;  // trace of the last run
};

}  // namespace wattune::schedule
