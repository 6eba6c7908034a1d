// Plans of the policy `paired` for swept pairs. The policy runs pilots, short runs of each ratio and split, and plans
// by the best of them. It plans anew when one of the two kernels has ended.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_prospects.h"
#include "cli/corun_sweep.h"
#include "cli/json.h"
#include "wattune/schedule/arrivals.h"
#include "wattune/schedule/pair_table.h"
#include "wattune/schedule/trace.h"

namespace wattune::cli {

// The work of a sweep as a queue: each kernel as often as in the sweep, all there from the beginning. The machine and
// the sweep must outlive it.
class PairPlan {
 public:
  // Runs the pilots, and fails as they do.
  static Result<PairPlan> make(schedule::Machine& machine, const schedule::PairSweep& sweep);
  // Runs the queue, and returns the time from its first block to its last. Fails as run_queue() does.
  Result<Nanoseconds> run();
  // Returns the first way in which both kernels shared the GPU in the last run. If they never did, it has no shape and
  // the rates of the way that was forecast to be best. Precondition: run() was called.
  schedule::PairForecast way() const;

 private:
  PairPlan(schedule::Machine& machine, const schedule::PairSweep& sweep);

  schedule::Machine* machine_;
  const schedule::PairSweep* sweep_;
  schedule::PairTable table_;
  std::vector<schedule::Arrival> works_;
  schedule::Trace trace_;  // trace of the last run
};

// Returns a line such as "paired takes 9.7 ms: +87.4 %, by 6:2 resident blocks per SM, whose pilots gained +94.5 %."
// Gives the time only if gains are withheld.
std::string planned_text(const SweptPair& pair);
Json planned_json(const SweptPair& pair);

// Plots, for several pairs, the gain of `paired` against the gain that its pilots predicted for the same work.
std::string forecasts_svg(const CorunStage& stage, const std::vector<SweptPair>& pairs);

// The gains of `paired` over the best baseline: the geometric mean over complementary pairs, and the smallest over all
// pairs, with the names of that pair.
struct PlannedGain {
  std::optional<double> of_complementary;
  std::optional<double> least;
  std::array<std::string, 2> names_of_least;
  std::string withheld = {};  // the pair about which nothing can be said, and why; empty if there is none
};
// Computes the gains. Precondition: no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
