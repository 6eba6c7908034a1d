// Simulated annealing (Kirkpatrick, Gelatt, Vecchi: Optimization by Simulated Annealing, Science 220, 1983), as it is
// used for kernels by CLTune and Kernel Tuner, with two changes:
//
// - The temperature is a share of the best time so far, so that one schedule suits nanoseconds and seconds: a
//   neighbour slower by that share of the best is accepted with probability 1/e.
// - Nothing is measured twice. A neighbour measured before is only moved to when it is better, which costs no
//   measurement; where all neighbours are visited the walk jumps to an unvisited configuration.
#include <cmath>

#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

class SimulatedAnnealing final : public LocalSearch {
 public:
  SimulatedAnnealing(const space::SearchSpace& space, const StrategyOptions& options)
      : LocalSearch(space, options),
        initial_(options.parameters.at("temperature")),
        final_(options.parameters.at("final_temperature")),
        cooling_(options.parameters.at("cooling")) {}

 private:
  // One schedule; the next one begins elsewhere.
  Task<> search() override {
    std::optional<Point> here = co_await find_start();
    for (double temperature = initial_; here && temperature >= final_;) {
      const std::vector<ConfigurationId> ids = neighbours(here->id);
      bool moved = false;
      for (std::size_t i = 0; i < ids.size() && !moved && temperature >= final_; ++i) {
        const bool fresh = !visited(ids[i]);
        const Outcome outcome = co_await evaluate(ids[i]);
        moved = outcome && (*outcome < here->objective || (fresh && accepts(*outcome - here->objective, temperature)));
        if (moved) here = Point{ids[i], *outcome};
        if (fresh) temperature *= cooling_;
      }
      if (!moved && temperature >= final_) here = co_await find_start();
    }
  }

  bool accepts(double loss, double temperature) {
    return random().uniform() < std::exp(-loss / (best()->objective * temperature));
  }

  double initial_;
  double final_;
  double cooling_;
};

}  // namespace

std::unique_ptr<Strategy> make_simulated_annealing(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<SimulatedAnnealing>(space, options);
}

}  // namespace wattune::search
