// Slowdown: wraps any strategy so that configurations too slow beside the fastest count as worse than all others.
//
// It is for objectives with a slowdown limit (Objective::slowdown). A configuration that is too slow counts as if its
// objective were that of the fastest one, times its own time divided by the longest allowed time. So a search finds its
// way back to fast ones. This is the rule of Deb, "An efficient constraint handling method for genetic algorithms",
// 2000: allowed beats not allowed, and among those not allowed the least violation wins. When a new fastest
// configuration is found, the best one so far may become too slow. Then a new strategy is made and told all outcomes so
// far, as when a run is resumed. Otherwise the old best objective would remain unbeatable.
//
//   auto strategy = make_strategy_within(0.05, space, [&] { return make_strategy("auto", space, options); });
#pragma once

#include <functional>
#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

using MakeStrategy = std::function<Result<std::unique_ptr<Strategy>>()>;

// Makes the wrapped strategy. `make` returns a fresh strategy of `space`, the same each time. The space must outlive
// the result. Fails with invalid_argument if the slowdown is below 0 or no finite number; otherwise with the errors of
// `make`.
Result<std::unique_ptr<Strategy>> make_strategy_within(double slowdown, const space::SearchSpace& space,
                                                       MakeStrategy make);

}  // namespace wattune::search
