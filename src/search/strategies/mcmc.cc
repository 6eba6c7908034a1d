// Markov-chain Monte Carlo search after the autotuner KTT (its constants: 10 random configurations at first, at most
// two parameters changed, escape probability 0.02).
//
// The chain starts at the best of a few random configurations. Each step measures a new one that differs in at most two
// parameters. The chain moves to it if it is not worse, else only with a small probability. If all such configurations
// are measured, the chain jumps to any unvisited configuration.
#include <algorithm>

#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class MarkovChain final : public Walk {
 public:
  using Walk::Walk;

 private:
  static constexpr std::size_t kMaxChanges = 2;
  static constexpr int kTries = 100;

  Task<> search() override {
    const std::vector<ConfigurationId> boot = starting_points(count_option("boot"));
    const std::vector<Outcome> outcomes = co_await evaluate_all(boot);
    if (boot.empty()) co_return;
    const auto best = static_cast<std::size_t>(std::ranges::min_element(outcomes, {}, cost) - outcomes.begin());
    ConfigurationId id = boot[best];
    Outcome here = outcomes[best];
    for (;;) {
      std::optional<ConfigurationId> next = unvisited_neighbour(id);
      if (!next) {
        here = std::nullopt;
        next = draw_unvisited();
      }
      if (!next) co_return;
      const Outcome outcome = co_await evaluate(*next);
      if (better(here, outcome) && random().uniform() >= option("escape")) continue;
      id = *next;
      here = outcome;
    }
  }

  // Returns an unvisited neighbour, which differs in at most two parameters. It is found by random walks, because a
  // large space has tens of thousands of such neighbours.
  std::optional<ConfigurationId> unvisited_neighbour(ConfigurationId id) {
    for (int i = 0; i < kTries; ++i) {
      const ConfigurationId next = random_walk(id, 1 + random().below(kMaxChanges));
      if (!visited(next)) return next;
    }
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_mcmc(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<MarkovChain>(space, options);
}

}  // namespace wattune::search
