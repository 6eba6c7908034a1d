#include "search/genetic.h"

namespace wattune::search {

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

// Which parameters come from the second parent.
std::vector<bool> Genetic::mask(const Coordinates& a, const Coordinates& b) {
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

}  // namespace wattune::search
