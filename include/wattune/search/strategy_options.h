// StrategyOptions: the options from which a strategy is made. Plain values, which the strategy copies.
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

// An objective that was measured elsewhere, on another device or size; only its proportions count.
struct PriorObjective {
  ConfigurationId id = 0;
  double objective = 0.0;            // positive
  std::vector<Metric> metrics = {};  // for `profile`, which reads hardware counters
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  // The configuration to start from, proposed first; none if it is count() or more.
  ConfigurationId start = ~ConfigurationId{0};
  // The user's objectives, for strategies of several objectives. With fewer than two, these minimise what tell() says.
  std::vector<Objective> objectives;
  // Results of earlier runs, a list for each run, for a strategy with a model to start from.
  std::vector<std::vector<PriorObjective>> prior;
  // Parameters of the strategy by name, as `wattune tune --strategy-option NAME=VALUE` gives them.
  std::map<std::string, double> parameters;
};

}  // namespace wattune::search
