#include "search/strategies/genetic.h"

#include <algorithm>

#include "search/strategies/random_choice.h"

namespace wattune::inline v0_1::search {

namespace {

enum class Crossover { single_point, two_point, uniform, disruptive_uniform };

}  // namespace

ConfigurationId Genetic::child(ConfigurationId mother, ConfigurationId father) {
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

// Returns, for each parameter, whether the child takes it from the second parent.
std::vector<bool> Genetic::mask(const Coordinates& a, const Coordinates& b) {
  const std::size_t size = a.size();
  std::vector<bool> result(size, false);
  switch (static_cast<Crossover>(count_option("crossover"))) {
    case Crossover::single_point: std::fill(result.begin() + cut(size), result.end(), true); break;
    case Crossover::two_point: {
      const auto [begin, end] = std::minmax({cut(size), cut(size)});
      std::fill(result.begin() + begin, result.begin() + end, true);
      break;
    }
    case Crossover::uniform:
      for (std::size_t p = 0; p < size; ++p) result[p] = random().bits() % 2 == 0;
      break;
    case Crossover::disruptive_uniform: {  // exactly half of the differing parameters are taken
      std::vector<std::size_t> different;
      for (std::size_t p = 0; p < size; ++p)
        if (a[p] != b[p]) different.push_back(p);
      shuffle(different, random());
      for (std::size_t i = 0; i < (different.size() + 1) / 2; ++i) result[different[i]] = true;
      break;
    }
  }
  return result;
}

// Returns a position at which parents are cut, between two parameters or at an end.
std::ptrdiff_t Genetic::cut(std::size_t size) { return static_cast<std::ptrdiff_t>(random().below(size + 1)); }

}  // namespace wattune::search
