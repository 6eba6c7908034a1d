// Reach: the number of evaluations that a strategy needs to come near the optimum, compared with that of random search,
// which has a closed form.
//
// Unlike the score, the reach has no budget. A run goes on until it is near enough, so the result for a space does not
// depend on the choice of a cutoff.
//
//   WATTUNE_ASSIGN(auto reaches, reach({scored}, {{"auto", {}}}, {.within = 0.05}));
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "score/interface/score.h"

namespace wattune::inline v0_1::score {

struct ReachOptions {
  double within = 0.05;  // an objective is near if it is at most (1 + within) times the optimum
  std::size_t repeats = 100;
  std::uint64_t seed = 1;
  std::size_t ahead = 1;  // number of proposals that a strategy is asked for in advance
  unsigned threads = 0;   // number of threads; with 0, one for each processor
  // Function that is called after each run, from any thread, one at a time.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct SpaceReach {
  std::uint64_t near = 0;  // number of configurations that are near the optimum
  double random = 0.0;     // median number of evaluations that random search needs
  double median = 0.0;     // median number of evaluations over the strategy's runs, failed ones included

  double speedup() const { return random / median; }
};

struct StrategyReach {
  StrategyChoice strategy;
  std::vector<SpaceReach> spaces;  // results in the order of the spaces
  double speedup = 0.0;            // geometric mean over the spaces
};

// Returns the least number of draws without replacement that find one of `near` configurations among `all` with a
// probability of at least one half. Precondition: 0 < near <= all.
std::uint64_t median_draws(std::uint64_t near, std::uint64_t all);

// Computes the reach of each strategy on each space. Equal seeds give equal results, whatever the number of threads.
// Fails as score() does, and with invalid_argument if `within` is negative or an optimum is not positive, so that
// shares of it make no sense.
Result<std::vector<StrategyReach>> reach(const std::vector<ScoredSpace>& spaces,
                                         const std::vector<StrategyChoice>& strategies, const ReachOptions& options);

}  // namespace wattune::score
