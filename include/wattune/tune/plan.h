// Plan: which strategy a run uses and when it stops, from what the user said, the spec says, and the size of the space.
// A plain function of values.
//
//   const Plan plan = make_plan(spec, space);
//   WATTUNE_ASSIGN(auto strategy, search::make_strategy(plan.strategy, space));
#pragma once

#include <string>

#include "wattune/core/kernel_spec.h"
#include "wattune/search/stop_rule.h"
#include "wattune/space/search_space.h"

namespace wattune::tune {

struct Plan {
  // Whose words the stop rule is. Nobody's, where nothing limits the search but the space.
  enum class Limit { none, user, spec, standard };

  std::string strategy;
  search::StopRule stop;
  Limit limit = Limit::none;
};

// Any rule in `wanted` replaces the spec's budget; `strategy` (may be empty) replaces the spec's strategy. Without
// either, small spaces are searched exhaustively and large ones for five minutes.
Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy = {},
               const search::StopRule& wanted = {});

}  // namespace wattune::tune
