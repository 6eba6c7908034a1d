// What the policy `paired` makes of pairs that are swept. It knows them by pilots, short runs of each ratio and split,
// plans by the best of these, and plans anew when one of the two has ended.
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

// The work of a sweep as a queue, each kernel as often as there, all there from the beginning. The machine and the
// sweep outlive it.
class PairPlan {
 public:
  // Runs the pilots. Their errors.
  static Result<PairPlan> make(schedule::Machine& machine, const schedule::PairSweep& sweep);
  // Runs the queue, and returns the time from its first block to its last. Errors of run_queue().
  Result<Nanoseconds> run();
  // Returns the way in which both shared the GPU first in the last run; where they never did, the speeds of the one
  // that was forecast to be best, in no shape. Precondition: it ran.
  schedule::PairForecast way() const;

 private:
  PairPlan(schedule::Machine& machine, const schedule::PairSweep& sweep);

  schedule::Machine* machine_;
  const schedule::PairSweep* sweep_;
  schedule::PairTable table_;
  std::vector<schedule::Arrival> works_;
  schedule::Trace trace_;  // of the last run
};

// "paired takes 9.7 ms: +87.4 %, by 6:2 resident blocks per SM, whose pilots gained +94.5 %.", a line; no more than the
// time where gains are withheld.
std::string planned_text(const SweptPair& pair);
Json planned_json(const SweptPair& pair);

// Of several pairs: what `paired` gained against what its pilots let expect of the same work.
std::string forecasts_svg(const CorunStage& stage, const std::vector<SweptPair>& pairs);

// What `paired` gains over the best baseline: the geometric mean of complementary pairs, and the least of all, with the
// names of that pair.
struct PlannedGain {
  std::optional<double> of_complementary;
  std::optional<double> least;
  std::array<std::string, 2> names_of_least;
  std::string withheld = {};  // of which pair nothing can be said, and why; empty: of none
};
// Precondition: no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
