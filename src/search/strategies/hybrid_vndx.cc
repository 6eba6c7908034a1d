// Hybrid variable-neighbourhood descent with a surrogate, after HybridVNDX in Kernel Tuner 1.4 (designed by a language
// model: Automated Algorithm Design for Auto-Tuning Optimizers, 2026); variable neighbourhoods: Mladenović, Hansen
// 1997.
//
// Each step draws a neighbourhood with learned weights, and from it a pool of candidates, to which a crossover of two
// elites and a random configuration are added. The objective of each candidate is predicted from the k nearest measured
// configurations (Hamming distance). The most promising one is measured, and accepted by Metropolis' rule at a falling
// temperature. Kernel Tuner excludes only the latest configurations (a tabu list); here all measured ones are excluded.
#include <algorithm>
#include <array>
#include <cmath>

#include "search/models/nearest.h"
#include "search/strategies/coordinates.h"
#include "search/strategies/local_search.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class HybridVndx final : public Walk {
 public:
  using Walk::Walk;

 private:
  // Number of kinds of neighbourhood. In the first, one parameter moves by one position. In the second, all move by at
  // most one position. In the third, one parameter takes any value.
  static constexpr std::size_t kNeighbourhoodKinds = 3;
  static constexpr double kReward = 1.1;
  static constexpr double kPenalty = 0.9;
  static constexpr double kLeastWeight = 0.1;

  Task<> search() override {
    std::optional<Point> here = co_await find_start();
    if (!here) co_return;
    std::array<double, kNeighbourhoodKinds> weights = {1.0, 1.0, 1.0};
    double temperature = option("temperature");
    double record = here->objective;
    for (std::size_t vain = 0; vain < count_option("restart"); ++vain) {
      const std::size_t kind = draw_kind(weights);
      const ConfigurationId next = most_promising(pool(here->id, kind));
      const Outcome outcome = co_await evaluate(next);
      const bool improved = better(outcome, here->objective);
      weights[kind] = std::max(kLeastWeight, weights[kind] * (improved ? kReward : kPenalty));
      if (improved || (outcome && metropolis(*outcome - here->objective, temperature))) here = Point{next, *outcome};
      temperature *= option("cooling");
      if (here->objective >= record) continue;
      record = here->objective;
      vain = 0;
    }
  }

  std::size_t draw_kind(const std::array<double, kNeighbourhoodKinds>& weights) {
    double place = random().uniform() * (weights[0] + weights[1] + weights[2]);
    for (std::size_t kind = 0; kind + 1 < weights.size(); ++kind) {
      if (place < weights[kind]) return kind;
      place -= weights[kind];
    }
    return weights.size() - 1;
  }

  std::vector<ConfigurationId> pool(ConfigurationId here, std::size_t kind) {
    std::vector<ConfigurationId> ids = {space().sample(random())};
    if (elites_.size() >= 2) ids.push_back(crossover());
    while (ids.size() < count_option("pool")) ids.push_back(neighbour(here, kind));
    return ids;
  }

  ConfigurationId neighbour(ConfigurationId here, std::size_t kind) {
    if (kind == 2) return random_walk(here, 1);
    Coordinates point = coordinates(space(), here);
    const std::size_t only = random().below(point.size());
    for (std::size_t p = 0; p < point.size(); ++p) {
      if (kind == 0 && p != only) continue;
      point[p] += static_cast<double>(random().below(3)) - 1.0;
    }
    return space().project(point);
  }

  ConfigurationId crossover() {
    Coordinates child = coordinates(space(), elites_[random().below(elites_.size())].id);
    const Coordinates other = coordinates(space(), elites_[random().below(elites_.size())].id);
    for (std::size_t p = 0; p < child.size(); ++p) {
      if (random().bits() % 2 == 0) child[p] = other[p];
    }
    return space().project(child);
  }

  ConfigurationId most_promising(const std::vector<ConfigurationId>& ids) {
    const std::size_t k = count_option("neighbours");
    ConfigurationId best = ids.front();
    double lowest = std::numeric_limits<double>::infinity();
    space::ValueIndices indices;
    for (const ConfigurationId id : ids) {
      if (visited(id)) continue;
      space().unrank(id, indices);
      const double predicted = measured_.predict(indices, k);
      if (predicted >= lowest) continue;
      lowest = predicted;
      best = id;
    }
    return best;
  }

  void do_observe(ConfigurationId id, const Outcome& outcome) override {
    space::ValueIndices indices;
    space().unrank(id, indices);
    measured_.add(indices, outcome);
    if (!outcome) return;
    elites_.push_back({id, *outcome});
    std::ranges::stable_sort(elites_, {}, &Point::objective);
    if (elites_.size() > count_option("elite")) elites_.pop_back();
  }

  NearestNeighbours measured_{space().parameters().size()};
  std::vector<Point> elites_;
};

}  // namespace

std::unique_ptr<Strategy> make_hybrid_vndx(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<HybridVndx>(space, options);
}

}  // namespace wattune::search
