// Adaptive tabu grey wolf: grey wolf optimisation (Mirjalili, Mirjalili, Lewis: Grey Wolf Optimizer, Advances in
// Engineering Software 69, 2014) for discrete spaces, with a tabu list and annealing, after the algorithm of that name
// in Kernel Tuner 1.4 (designed by a language model: Automated Algorithm Design for Auto-Tuning Optimizers, 2026).
//
// Every wolf takes each parameter from one of the three leaders, is shaken or jumps now and then, and steps aside from
// what is tabu or known. It stays where it came when that is better, or by Metropolis' rule at a temperature that falls
// with the evaluations. When the leader has not improved for long, the last of the pack start elsewhere.
#include <algorithm>
#include <cmath>
#include <deque>

#include "search/coordinates.h"
#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

class TabuGreyWolf final : public Walk {
 public:
  using Walk::Walk;

 private:
  static constexpr std::size_t kLeaders = 3;
  static constexpr int kStepsAside = 4;

  Task<> search() override {
    std::deque<ConfigurationId> tabu;
    std::vector<Point> pack = co_await gather(std::max(kLeaders, count_option("pack")));
    std::size_t vain = 0;
    for (double evaluations = 0.0; pack.size() >= kLeaders; evaluations += static_cast<double>(pack.size())) {
      const double leader = pack.front().objective;
      const double cooled = std::exp(-option("cooling") * evaluations / option("budget"));
      std::vector<ConfigurationId> ids;
      for (std::size_t i = 0; i < pack.size(); ++i) ids.push_back(hunt(pack, tabu));
      const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
      for (std::size_t i = 0; i < pack.size(); ++i) {
        const double loss = cost(outcomes[i]) - pack[i].objective;
        const bool stays = outcomes[i] && (loss < 0.0 || metropolis(loss, option("temperature") * cooled));
        if (stays) pack[i] = {ids[i], *outcomes[i]};
      }
      tabu.insert(tabu.end(), ids.begin(), ids.end());
      while (tabu.size() > count_option("tabu") * pack.size()) tabu.pop_front();
      std::ranges::stable_sort(pack, {}, &Point::objective);
      vain = pack.front().objective < leader ? 0 : vain + pack.size();
      if (vain < count_option("patience")) continue;
      co_await scatter(pack);
      vain = 0;
    }
  }

  // Wolves at starting points, the fastest first.
  Task<std::vector<Point>> gather(std::size_t n) {
    const std::vector<ConfigurationId> ids = starting_points(n);
    const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
    std::vector<Point> wolves;
    for (std::size_t i = 0; i < ids.size(); ++i) wolves.push_back({ids[i], cost(outcomes[i])});
    std::ranges::stable_sort(wolves, {}, &Point::objective);
    co_return wolves;
  }

  // The last of the pack start elsewhere.
  Task<> scatter(std::vector<Point>& pack) {
    const auto wanted = static_cast<std::size_t>(option("scatter") * static_cast<double>(pack.size()));
    const std::vector<Point> others = co_await gather(wanted);
    std::copy(others.begin(), others.end(), pack.end() - static_cast<std::ptrdiff_t>(others.size()));
    std::ranges::stable_sort(pack, {}, &Point::objective);
  }

  ConfigurationId hunt(const std::vector<Point>& pack, const std::deque<ConfigurationId>& tabu) {
    if (random().uniform() < option("jump")) return space().sample(random());
    std::vector<Coordinates> leaders;
    for (std::size_t i = 0; i < kLeaders; ++i) leaders.push_back(coordinates(space(), pack[i].id));
    Coordinates point = leaders.front();
    for (std::size_t p = 0; p < point.size(); ++p) point[p] = leaders[random().below(kLeaders)][p];
    ConfigurationId id = space().project(point);
    if (random().uniform() < option("shake")) id = random_walk(id, 1);
    const auto avoided = [&] { return visited(id) || std::ranges::find(tabu, id) != tabu.end(); };
    for (int step = 0; step < kStepsAside && avoided(); ++step) id = random_walk(id, 1);
    return id;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_tabu_grey_wolf(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<TabuGreyWolf>(space, options);
}

}  // namespace wattune::search
