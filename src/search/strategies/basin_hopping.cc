// Basin hopping (Wales, Doye: Global Optimization by Basin-Hopping, Journal of Physical Chemistry A 101, 1997).
//
// A random walk leaves the local optimum, and a descent leads to the next one. Metropolis' rule decides whether that
// optimum is accepted. So basin hopping is simulated annealing over local optima at a constant temperature.
#include <algorithm>

#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class BasinHopping final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  Task<> search() override {
    const std::optional<Point> start = co_await find_start();
    if (!start) co_return;
    Point optimum = co_await first_improvement(*start);
    double record = optimum.objective;
    for (std::size_t vain = 0; vain < count_option("no_improvement");) {
      ++vain;
      const ConfigurationId next = random_walk(optimum.id, count_option("step"));
      const Outcome outcome = co_await evaluate(next);
      if (!outcome) continue;
      const Point other = co_await first_improvement({next, *outcome});
      if (other.objective < record) vain = 0;
      record = std::min(record, other.objective);
      if (metropolis(other.objective - optimum.objective, option("temperature"))) optimum = other;
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_basin_hopping(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<BasinHopping>(space, options);
}

}  // namespace wattune::search
