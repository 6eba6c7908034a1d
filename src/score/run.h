// Runs a strategy once on a recorded space.
#pragma once

#include "score/interface/score.h"

namespace wattune::inline v0_1::score {

// Searches until the budget is spent or no configuration is left. The strategy is asked for `ahead` proposals in
// advance. A run with too few evaluations to fit a curve is repeated with another seed, at most twenty times, as in the
// program of Willemsen et al. (score.h). Fails as make_strategy() does.
Result<SearchRun> run_strategy(const ScoredSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                               std::size_t ahead);

// Returns the number of evaluations, failed ones included, until the best objective of a run is at most `target`, or
// until no configuration is left. Fails as make_strategy() does.
Result<std::uint64_t> evaluations_to_reach(double target, const ScoredSpace& space, const StrategyChoice& strategy,
                                           std::uint64_t seed, std::size_t ahead);

// Checks that there is a space, a strategy and a repeat. Fails with invalid_argument otherwise, and with the errors of
// make_strategy().
Result<void> check_choice(const std::vector<ScoredSpace>& spaces, const std::vector<StrategyChoice>& strategies,
                          std::size_t repeats);

}  // namespace wattune::score
