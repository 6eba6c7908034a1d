// Simulated annealing (Kirkpatrick, Gelatt, Vecchi: Optimization by Simulated Annealing, Science 220, 1983), as it is
// used for kernels by CLTune and Kernel Tuner, with two changes:
//
// - The temperature is a share of the best time so far, so that one schedule suits nanoseconds and seconds: a
//   neighbour slower by that share of the best is accepted with probability 1/e.
// - Nothing is measured twice. The walk moves to a neighbour that was measured before only if it is better, which
//   costs no measurement. If all neighbours are visited, the walk jumps to an unvisited configuration.
#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class SimulatedAnnealing final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

 private:
  // Runs one schedule of temperatures. The next schedule begins at another configuration.
  Task<> search() override {
    const double end = option("final_temperature");
    std::optional<Point> here = co_await find_start();
    for (double temperature = option("temperature"); here && temperature >= end;) {
      const std::vector<ConfigurationId> ids = neighbours(here->id);
      bool moved = false;
      for (std::size_t i = 0; i < ids.size() && !moved && temperature >= end; ++i) {
        const bool fresh = !visited(ids[i]);
        const Outcome outcome = co_await evaluate(ids[i]);
        moved =
            outcome && (*outcome < here->objective || (fresh && metropolis(*outcome - here->objective, temperature)));
        if (moved) here = Point{ids[i], *outcome};
        if (fresh) temperature *= option("cooling");
      }
      if (!moved && temperature >= end) here = co_await find_start();
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> make_simulated_annealing(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<SimulatedAnnealing>(space, options);
}

}  // namespace wattune::search
