// Genetic algorithm (Holland: Adaptation in Natural and Artificial Systems, 1975), with the crossovers that Kernel
// Tuner offers.
//
// Parents are winners of tournaments of two; the best of parents and children form the next generation.
#include <algorithm>

#include "search/strategies/genetic.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

class GeneticAlgorithm final : public Genetic {
 public:
  using Genetic::Genetic;

 private:
  Task<> search() override {
    std::vector<Point> population;
    co_await add(starting_points(count_option("population")), population);
    const std::size_t size = population.size();
    if (size < 2) co_return;
    for (;;) {
      std::vector<ConfigurationId> children;
      while (children.size() < size) children.push_back(child(select(population), select(population)));
      co_await add(std::move(children), population);
      std::ranges::stable_sort(population, {}, &Point::objective);
      population.resize(size);
    }
  }

  Task<> add(std::vector<ConfigurationId> ids, std::vector<Point>& population) {
    const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (std::ranges::find(population, ids[i], &Point::id) != population.end()) continue;
      population.push_back({ids[i], cost(outcomes[i])});
    }
  }

  ConfigurationId select(const std::vector<Point>& population) {
    const Point& a = population[random().below(population.size())];
    const Point& b = population[random().below(population.size())];
    return a.objective < b.objective ? a.id : b.id;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_genetic_algorithm(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<GeneticAlgorithm>(space, options);
}

}  // namespace wattune::search
