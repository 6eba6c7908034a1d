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
        cooling_(options.parameters.at("cooling")),
        temperature_(initial_) {}

 private:
  std::optional<ConfigurationId> do_next_candidate() override {
    if (current()) {
      if (const auto neighbour = draw_neighbour()) return neighbour;
      leave();
    }
    return starting_point();
  }

  void do_judge(ConfigurationId id, std::optional<double> objective, bool fresh) override {
    const bool accepted = objective && (!current() || accepts(*objective, fresh));
    if (accepted) move_to({id, *objective});
    if (fresh) cool();
  }

  bool accepts(double objective, bool fresh) {
    if (objective < current()->objective) return true;
    if (!fresh) return false;
    const double loss = (objective - current()->objective) / best()->objective;
    return random().uniform() < std::exp(-loss / temperature_);
  }

  // At the end of the schedule the next one begins elsewhere.
  void cool() {
    temperature_ *= cooling_;
    if (temperature_ >= final_) return;
    temperature_ = initial_;
    leave();
  }

  double initial_;
  double final_;
  double cooling_;
  double temperature_;
};

}  // namespace

std::unique_ptr<Strategy> make_simulated_annealing(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<SimulatedAnnealing>(space, options);
}

}  // namespace wattune::search
