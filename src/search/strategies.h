// The strategies' factories, for the registry. `parameters` holds every parameter of the strategy, checked.
#pragma once

#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::search {

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_simulated_annealing(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_greedy_ils(const space::SearchSpace& space, const StrategyOptions& options);

}  // namespace wattune::search
