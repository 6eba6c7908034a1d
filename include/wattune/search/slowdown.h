// Slowdown: any strategy, but what takes too long beside the fastest counts as worse than everything that does not.
//
// For an objective with Objective::slowdown. What is too slow counts as the fastest configuration's objective, the more
// the further it is off (the rule of Deb, "An efficient constraint handling method for genetic algorithms", 2000: what
// is allowed beats what is not, and among the latter the least violation wins), so that a search finds its way back.
// Where a faster configuration takes the best one out of the allowed time, the strategy begins anew and is told of all
// that was measured, as when a run is resumed; otherwise nothing that it was told before can win.
//
//   auto strategy = make_strategy_within(0.05, space, [&] { return make_strategy("auto", space, options); });
#pragma once

#include <functional>
#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::search {

using MakeStrategy = std::function<Result<std::unique_ptr<Strategy>>()>;

// `make` gives a strategy of `space` that knows nothing, each time the same; the space outlives what is returned.
// invalid_argument: a slowdown below 0, or that is no number; errors of `make`.
Result<std::unique_ptr<Strategy>> make_strategy_within(double slowdown, const space::SearchSpace& space,
                                                       MakeStrategy make);

}  // namespace wattune::search
