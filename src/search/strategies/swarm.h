// Swarm: the common part of population algorithms on coordinates.
#pragma once

#include "search/strategies/algorithm.h"
#include "search/strategies/coordinates.h"

namespace wattune::inline v0_1::search {

// A point, the configuration to which it was projected, and the cost of that configuration.
struct Particle {
  Coordinates position;
  ConfigurationId id = 0;
  double cost = 0.0;
};

class Swarm : public Algorithm {
 public:
  using Algorithm::Algorithm;

 protected:
  // Measures starting_points(n).
  Task<std::vector<Particle>> start_swarm(std::size_t n);
  // Projects the points and measures the configurations.
  Task<std::vector<Particle>> evaluate_points(std::vector<Coordinates> points);
  // Returns the position of the best. Precondition: the list is not empty.
  static std::size_t best_of(const std::vector<Particle>& particles);
};

}  // namespace wattune::search
