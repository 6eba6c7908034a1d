// Adaptive tabu grey wolf: grey wolf optimisation for discrete spaces, with a tabu list and annealing (Mirjalili,
// Mirjalili, Lewis: Grey Wolf Optimizer, Advances in Engineering Software 69, 2014). It follows the algorithm of that
// name in Kernel Tuner 1.4, which a language model designed (Automated Algorithm Design for Auto-Tuning Optimizers,
// 2026).
//
// A wolf is a configuration; the three best, the leaders, stay. Every other wolf takes each parameter from one of the
// leaders or keeps its own. With a probability that grows while nothing improves, it is also changed at random: by a
// step in every parameter or, now and then, a jump in one. It stays at its new place if that is better, or by
// Metropolis' rule at a temperature that falls with the evaluations and rises again while nothing improves. If nothing
// has improved for long, the worst wolves of the pack start elsewhere.
//
// There are three differences to Kernel Tuner. Kernel Tuner measures one wolf after the other; here a round is measured
// together. Its temperature has the unit of the objective; here it is a share of the best objective. It steps aside
// once from configurations that are tabu; here wolves also step aside from measured ones.
#include <algorithm>
#include <cmath>
#include <deque>

#include "search/strategies/coordinates.h"
#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class TabuGreyWolf final : public Walk {
 public:
  using Walk::Walk;

 private:
  static constexpr std::size_t kLeaders = 3;
  static constexpr int kStepsAside = 4;
  static constexpr double kMostShaking = 0.5;
  static constexpr double kReheating = 0.2;  // reheating sets the temperature to this share of the first one
  static constexpr double kColdest = 1e-4;

  Task<> search() override {
    std::vector<Point> pack = co_await gather(std::max(kLeaders + 1, count_option("pack")));
    std::deque<ConfigurationId> tabu;
    for (const Point& wolf : pack) tabu.push_back(wolf.id);
    std::size_t vain = 0;  // rounds since the last improvement
    for (double evaluations = 0.0; pack.size() > kLeaders; evaluations += static_cast<double>(pack.size() - kLeaders)) {
      const double record = pack.front().objective;
      std::vector<ConfigurationId> ids;
      for (std::size_t i = kLeaders; i < pack.size(); ++i) ids.push_back(hunt(pack, i, shaking(vain), tabu));
      const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
      const double heat = temperature(evaluations, vain);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        Point& wolf = pack[kLeaders + i];
        const double loss = cost(outcomes[i]) - wolf.objective;
        if (outcomes[i] && (loss < 0.0 || metropolis(loss, heat))) wolf = {ids[i], *outcomes[i]};
      }
      tabu.insert(tabu.end(), ids.begin(), ids.end());
      while (tabu.size() > count_option("tabu") * pack.size()) tabu.pop_front();
      std::ranges::stable_sort(pack, {}, &Point::objective);
      vain = pack.front().objective < record ? 0 : vain + 1;
      if (vain < count_option("patience")) continue;
      co_await scatter(pack);
      vain = 0;
    }
  }

  double shaking(std::size_t vain) const {
    return std::min(kMostShaking, option("shake") * (1.0 + static_cast<double>(vain) / option("patience")));
  }

  double temperature(double evaluations, std::size_t vain) const {
    const double cooled = option("temperature") * std::exp(-option("cooling") * evaluations / option("budget"));
    const std::size_t half = std::max<std::size_t>(1, count_option("patience") / 2);
    const bool reheat = vain > 0 && vain % half == 0;
    return std::max(kColdest, cooled) + (reheat ? kReheating * option("temperature") : 0.0);
  }

  // Returns wolves at starting points, the fastest first.
  Task<std::vector<Point>> gather(std::size_t n) {
    const std::vector<ConfigurationId> ids = starting_points(n);
    const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
    std::vector<Point> wolves;
    for (std::size_t i = 0; i < ids.size(); ++i) wolves.push_back({ids[i], cost(outcomes[i])});
    std::ranges::stable_sort(wolves, {}, &Point::objective);
    co_return wolves;
  }

  // Moves the slowest wolves of the pack to new starting points.
  Task<> scatter(std::vector<Point>& pack) {
    const auto wanted = static_cast<std::size_t>(std::ceil(option("scatter") * static_cast<double>(pack.size())));
    const std::vector<Point> others = co_await gather(wanted);
    std::copy(others.begin(), others.end(), pack.end() - static_cast<std::ptrdiff_t>(others.size()));
    std::ranges::stable_sort(pack, {}, &Point::objective);
  }

  ConfigurationId hunt(const std::vector<Point>& pack, std::size_t wolf, double shaking,
                       const std::deque<ConfigurationId>& tabu) {
    std::vector<Coordinates> parents = {coordinates(space(), pack[wolf].id)};
    for (std::size_t i = 0; i < kLeaders; ++i) parents.push_back(coordinates(space(), pack[i].id));
    Coordinates point = parents.front();
    for (std::size_t p = 0; p < point.size(); ++p) point[p] = parents[random().below(parents.size())][p];
    if (random().uniform() < shaking) shake(point);
    ConfigurationId id = space().project(point);
    const auto avoided = [&] { return visited(id) || std::ranges::find(tabu, id) != tabu.end(); };
    for (int step = 0; step < kStepsAside && avoided(); ++step) id = random_walk(id, 1);
    return id;
  }

  void shake(Coordinates& point) {
    if (random().uniform() < option("jump")) {
      const std::size_t p = random().below(point.size());
      point[p] = coordinates(space(), space().sample(random()))[p];
      return;
    }
    for (double& coordinate : point) coordinate += static_cast<double>(random().below(3)) - 1.0;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_tabu_grey_wolf(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<TabuGreyWolf>(space, options);
}

}  // namespace wattune::search
