// Genetic algorithm (Holland: Adaptation in Natural and Artificial Systems, 1975), with the crossovers that Kernel
// Tuner offers.
//
// Parents are winners of tournaments of two. A child takes each parameter from one of them, which one the crossover
// says; parameters mutate with a small probability; the result is projected onto the space. A child that is known
// already mutates once more, so that generations do not die of repetition. The best of parents and children live on.
#include <algorithm>

#include "search/coordinates.h"
#include "search/local_search.h"
#include "search/strategies.h"

namespace wattune::search {

namespace {

enum class Crossover { single_point, two_point, uniform, disruptive_uniform };

class GeneticAlgorithm final : public LocalSearch {
 public:
  using LocalSearch::LocalSearch;

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

  ConfigurationId child(ConfigurationId mother, ConfigurationId father) {
    Coordinates genes = coordinates(space(), mother);
    const Coordinates other = coordinates(space(), father);
    const std::vector<bool> exchanged = mask(genes, other);
    for (std::size_t p = 0; p < genes.size(); ++p) {
      if (exchanged[p]) genes[p] = other[p];
      if (random().uniform() * option("mutation") >= 1.0) continue;
      genes[p] = static_cast<double>(random().below(space().parameters()[p].values.size()));
    }
    const ConfigurationId id = space().project(genes);
    return visited(id) ? random_walk(id, 1) : id;
  }

  // Which parameters come from the second parent.
  std::vector<bool> mask(const Coordinates& a, const Coordinates& b) {
    const auto method = static_cast<Crossover>(count_option("crossover"));
    const std::size_t size = a.size();
    std::size_t begin = random().below(size + 1);
    std::size_t end = method == Crossover::two_point ? random().below(size + 1) : size;
    if (begin > end) std::swap(begin, end);
    std::vector<bool> result(size, false);
    bool turn = random().bits() % 2 == 0;
    for (std::size_t p = 0; p < size; ++p) {
      switch (method) {
        case Crossover::single_point:
        case Crossover::two_point: result[p] = p >= begin && p < end; break;
        case Crossover::uniform: result[p] = random().bits() % 2 == 0; break;
        case Crossover::disruptive_uniform:  // half of the parameters that differ, exactly
          if (a[p] != b[p]) turn = !turn;
          result[p] = turn;
          break;
      }
    }
    return result;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_genetic_algorithm(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<GeneticAlgorithm>(space, options);
}

}  // namespace wattune::search
