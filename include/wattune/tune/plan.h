// Plan: the strategy of a run and its stop rule, from what the user said, what the spec says, and the size of the
// space. A plain function of values.
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
  // The origin of the stop rule; `none` if nothing but the space limits the search.
  enum class Limit { none, user, spec, standard };

  std::string strategy;
  search::StopRule stop;
  Limit limit = Limit::none;
};

// Makes the plan. Any rule in `wanted` replaces the spec's budget; `strategy`, if not empty, replaces the spec's.
// Without either, small spaces are searched exhaustively and large ones for five minutes.
Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy = {},
               const search::StopRule& wanted = {});

}  // namespace wattune::tune
