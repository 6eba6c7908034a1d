// Markov-chain Monte Carlo search after the autotuner KTT (its constants: 10 random configurations at first, at most
// two parameters changed, escape probability 0.02).
//
// The chain starts at the best of a few random configurations. Each step draws a configuration that differs in at most
// two parameters and moves there when it is better, or with a small probability anyway.
#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

class MarkovChain final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  static constexpr std::size_t kMaxChanges = 2;

  Task<> search() override {
    const std::vector<ConfigurationId> boot = starting_points(count_option("boot"));
    const std::vector<Outcome> outcomes = co_await evaluate_all(boot);
    Outcome here;
    ConfigurationId id = 0;
    for (std::size_t i = 0; i < boot.size(); ++i) {
      if (i > 0 && !better(outcomes[i], here)) continue;
      here = outcomes[i];
      id = boot[i];
    }
    for (std::size_t vain = 0; !boot.empty() && vain < count_option("no_improvement"); ++vain) {
      const ConfigurationId next = random_walk(id, 1 + random().below(kMaxChanges));
      const Outcome outcome = co_await evaluate(next);
      const bool improved = better(outcome, here);
      if (improved) vain = 0;
      if (!improved && !(outcome && random().uniform() < option("escape"))) continue;
      id = next;
      here = outcome;
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_mcmc(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<MarkovChain>(space, options);
}

}  // namespace wattune::search
