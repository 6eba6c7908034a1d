// The functions that make the strategies, for the registry. `parameters` holds a checked value for every parameter of
// the strategy.
#pragma once

#include <memory>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

std::unique_ptr<Strategy> make_exhaustive(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_mls(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_greedy_mls(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_ordered_greedy_mls(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_greedy_ils(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_basin_hopping(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_simulated_annealing(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_dual_annealing(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_mcmc(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_profile(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_genetic_algorithm(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_nsga2(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_nsga3(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_differential_evolution(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_particle_swarm(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_firefly(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_tabu_grey_wolf(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_hybrid_vndx(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_pattern_search(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_torczon(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_auc_bandit(const space::SearchSpace& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_model_search(const space::SearchSpace& space, const StrategyOptions& options);

}  // namespace wattune::search
