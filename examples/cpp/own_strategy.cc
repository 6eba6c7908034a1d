// A search strategy of your own: derive a class from Strategy, propose ids, and learn from outcomes. Register the
// class, so that tune::open() finds it by its name as well.
//
// The strategy here halves the distance to the best known id. The "kernel" is a formula, so that the example runs
// anywhere.
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "wattune/search/strategy.h"

namespace {

class TowardsTheBest : public wattune::search::Strategy {
 public:
  TowardsTheBest(const wattune::space::SearchSpace& space, const wattune::search::StrategyOptions& options)
      : Strategy(space, options) {}

 private:
  std::optional<wattune::ConfigurationId> do_propose() override {
    auto candidate = draw_unvisited();
    if (!candidate || !best_objective_) return candidate;
    const wattune::ConfigurationId nearer = (*candidate + best_id_) / 2;
    return visited(nearer) ? candidate : nearer;
  }

  void do_learn(wattune::ConfigurationId id, std::optional<double> objective) override {
    if (!objective || (best_objective_ && *objective >= *best_objective_)) return;
    best_objective_ = objective;
    best_id_ = id;
  }

  std::optional<double> best_objective_;
  wattune::ConfigurationId best_id_ = 0;
};

wattune::Observation pretend_to_measure(const wattune::Configuration& configuration) {
  const double distance = configuration.find("x")->as_real() - 70.0;
  wattune::Observation observation;
  observation.statistics = wattune::Statistics{.median = wattune::Nanoseconds(1000.0 + distance * distance)};
  return observation;
}

}  // namespace

int main() {
  std::vector<wattune::Value> values;
  for (int x = 0; x < 100; ++x) values.emplace_back(x);
  auto space = wattune::space::SearchSpace::build({{.name = "x", .values = values}}, {}).value();

  wattune::search::register_strategy(
      {.name = "towards_the_best", .description = "halves the distance to the best id"},
      [](const auto& of, const auto& options) { return std::make_unique<TowardsTheBest>(of, options); })
      .value();
  const auto strategy = wattune::search::make_strategy("towards_the_best", space, {.seed = 3}).value();
  double best = INFINITY;
  for (int evaluation = 0; evaluation < 25; ++evaluation) {
    for (const wattune::ConfigurationId id : strategy->ask(1)) {
      const wattune::Observation observation = pretend_to_measure(space.configuration(id));
      strategy->tell(id, observation);
      best = std::fmin(best, observation.objective());
    }
  }
  std::printf("best after 25 of 100 evaluations: %.0f ns (the optimum is 1000)\n", best);
  return best < 1100 ? 0 : 1;
}
