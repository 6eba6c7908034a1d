// Greedy iterated local search (Schoonhoven, van Werkhoven, Batenburg: Benchmarking optimization algorithms for
// auto-tuning GPU kernels, IEEE Transactions on Evolutionary Computation, 2022; Kernel Tuner's greedy_ils).
//
// A descent looks at the neighbours in random order and moves to the first better one, until there is none. A random
// walk from the optimum then gives the start of the next descent. After too many descents without a better optimum the
// search begins anew at an unvisited configuration.
#include <algorithm>

#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class GreedyIls final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  Task<> search() override {
    const std::optional<Point> start = co_await find_start();
    if (!start) co_return;
    Point optimum = co_await first_improvement(*start);
    const std::size_t steps = walk_length();
    double record = optimum.objective;
    for (double vain = 0; vain < option("no_improvement");) {
      const ConfigurationId next = random_walk(optimum.id, steps);
      const Outcome outcome = co_await evaluate(next);
      if (!outcome) continue;
      optimum = co_await first_improvement({next, *outcome});
      vain = optimum.objective < record ? 0 : vain + 1;
      record = std::min(record, optimum.objective);
    }
  }

  std::size_t walk_length() const {
    const auto parameters = static_cast<double>(space().parameters().size());
    return std::max<std::size_t>(1, static_cast<std::size_t>(option("random_walk") * parameters));
  }
};

}  // namespace

std::unique_ptr<Strategy> make_greedy_ils(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<GreedyIls>(space, options);
}

}  // namespace wattune::search
