// Single runs of a strategy on a space.
#pragma once

#include "wattune/score/score.h"

namespace wattune::score {

// Searches until the budget is spent or nothing is left, with `ahead` proposals asked for in advance. A run with too
// little in it to fit a curve is tried again with another seed, at most twenty times, as the published tool does.
// Errors of make_strategy().
Result<SearchRun> run_strategy(const ScoredSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                               std::size_t ahead);

// How many evaluations a run takes until its best objective is at most `target`, or until nothing is left; failed ones
// count. Errors of make_strategy().
Result<std::uint64_t> evaluations_to_reach(double target, const ScoredSpace& space, const StrategyChoice& strategy,
                                           std::uint64_t seed, std::size_t ahead);

// invalid_argument: no space or strategy, or no repeat; errors of make_strategy().
Result<void> check_choice(const std::vector<ScoredSpace>& spaces, const std::vector<StrategyChoice>& strategies,
                          std::size_t repeats);

}  // namespace wattune::score
