// One run of a strategy on a problem.
#pragma once

#include "wattune/score/score.h"

namespace wattune::score {

// Searches until the budget is spent or nothing is left. A run with too little in it to fit a curve is tried again with
// another seed, at most twenty times, as the published tool does. Errors of make_strategy().
Result<SearchRun> run_strategy(const Problem& problem, const StrategyChoice& strategy, std::uint64_t seed);

}  // namespace wattune::score
