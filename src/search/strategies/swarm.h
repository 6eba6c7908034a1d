// Swarm: the common part of algorithms that move a population of points (coordinates.h).
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
  // Measures the configurations of starting_points(n) and returns them as particles.
  Task<std::vector<Particle>> start_swarm(std::size_t n);
  // Projects the points onto the space and measures the resulting configurations.
  Task<std::vector<Particle>> evaluate_points(std::vector<Coordinates> points);
  // Returns the position of the particle with the least cost. Precondition: the list is not empty.
  static std::size_t best_of(const std::vector<Particle>& particles);
};

}  // namespace wattune::search
