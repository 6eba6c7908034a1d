// Genetic: the common part of genetic algorithms.
#pragma once

#include "search/strategies/coordinates.h"
#include "search/strategies/local_search.h"

namespace wattune::inline v0_1::search {

class Genetic : public Walk {
 public:
  // The strategy needs the parameters `mutation` and `crossover`, which is the number of one of Kernel Tuner's
  // crossovers.
  using Walk::Walk;

 protected:
  // Returns a child. It takes each parameter from one of the parents, as the crossover says; parameters mutate with a
  // small probability, and the result is projected onto the space. A child that is known already mutates once more, so
  // that generations keep producing new configurations.
  ConfigurationId child(ConfigurationId mother, ConfigurationId father);

 private:
  std::vector<bool> mask(const Coordinates& a, const Coordinates& b);
  std::ptrdiff_t cut(std::size_t size);
};

}  // namespace wattune::search
