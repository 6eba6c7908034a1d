#include "core/interface/strategy_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wattune::inline v0_1 {

namespace {

// KTT's names are capitalised, Kernel Tuner's are in lower case.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOtherNames{
    {{"Deterministic", "exhaustive"},
     {"BruteForce", "exhaustive"},
     {"Random", "random"},
     {"Annealing", "simulated_annealing"},
     {"MCMC", "mcmc"},
     {"ProfileBased", "profile"},
     {"brute_force", "exhaustive"},
     {"random_sample", "random"},
     {"bayes_opt", "bayesian_optimisation"},
     {"basinhopping", "basin_hopping"},
     {"diff_evo", "differential_evolution"},
     {"firefly_algorithm", "firefly"},
     {"pso", "particle_swarm"}}};

}  // namespace

std::string strategy_of_other_tuner(std::string_view name) {
  const auto other = std::ranges::find(kOtherNames, name, &std::pair<std::string_view, std::string_view>::first);
  return other == kOtherNames.end() ? std::string() : std::string(other->second);
}

}  // namespace wattune
