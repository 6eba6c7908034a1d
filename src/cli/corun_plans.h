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

namespace wattune::cli {

// As often as the sweep ran each, all there from the beginning; the median of so many rounds. device_lost; what else
// fails is said in what it returns.
Result<PlannedRun> run_planned(schedule::Machine& machine, const schedule::PairSweep& sweep, std::size_t rounds);

// "paired takes 9.7 ms: +87.4 %, by 6:2 resident blocks per SM, whose pilots gained +94.5 %.", a line.
std::string planned_text(const SweptPair& pair);
Json planned_json(const PlannedRun& run);

// Of several pairs: what `paired` gained against what its pilots let expect of the same work.
std::string forecasts_svg(const CorunStage& stage, const std::vector<SweptPair>& pairs);

// What `paired` gains over the best baseline: the geometric mean of complementary pairs, and the least of all, with the
// names of that pair.
struct PlannedGain {
  std::optional<double> of_complementary;
  std::optional<double> least;
  std::array<std::string, 2> names_of_least;
};
// Precondition: no more pairs than prospects.
PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string planned_gain_text(const PlannedGain& gain);
Json planned_gain_json(const PlannedGain& gain);

}  // namespace wattune::cli
