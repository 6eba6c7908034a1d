// Multi-start local search: a hill climber from one starting point after the other (Schoonhoven, van Werkhoven,
// Batenburg, IEEE Transactions on Evolutionary Computation, 2022, sections III-B and III-C; Kernel Tuner).
#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

// The strategy mls, which moves to the best of all neighbours.
class BestImprovement final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  Task<> search() override {
    const std::optional<Point> start = co_await find_start();
    if (start) co_await best_improvement(*start);
  }
};

// The strategies greedy_mls, which moves to the first better neighbour, and ordered_greedy_mls, which tries the
// neighbours in the order of their ids.
template <bool kOrdered>
class FirstImprovement final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  Task<> search() override {
    const std::optional<Point> start = co_await find_start();
    if (start) co_await first_improvement(*start, kOrdered ? Order::ascending : Order::random);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_mls(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<BestImprovement>(space, options);
}

std::unique_ptr<Strategy> make_greedy_mls(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<FirstImprovement<false>>(space, options);
}

std::unique_ptr<Strategy> make_ordered_greedy_mls(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<FirstImprovement<true>>(space, options);
}

}  // namespace wattune::search
