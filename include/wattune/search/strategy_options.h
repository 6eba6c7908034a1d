// StrategyOptions: what a strategy is made with. Plain values, which the strategy copies.
//
//   StrategyOptions options{.seed = 7};
//   options.parameters["explore"] = 20;
//   auto strategy = make_strategy("auto", space, options);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wattune/core/objective.h"
#include "wattune/core/observation.h"
#include "wattune/space/search_space.h"

namespace wattune::search {

// Measured elsewhere, on another device or size; only its proportions count.
struct PriorObjective {
  ConfigurationId id = 0;
  double objective = 0.0;            // positive
  std::vector<Metric> metrics = {};  // for `profile`, which reads hardware counters
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  // A configuration to start from, proposed first; count() and above mean none.
  ConfigurationId start = ~ConfigurationId{0};
  // What the user wants, for strategies of several objectives; fewer than two leave them what tell() says is smaller.
  std::vector<Objective> objectives;
  // Earlier runs for a strategy with a model to start from, a list each.
  std::vector<std::vector<PriorObjective>> prior;
  // Parameters of the strategy by name, as `wattune tune --strategy-option NAME=VALUE` gives them.
  std::map<std::string, double> parameters;
};

}  // namespace wattune::search
