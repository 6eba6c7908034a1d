// Swarm: what population algorithms on coordinates share.
#pragma once

#include "search/algorithm.h"
#include "search/coordinates.h"

namespace wattune::search {

// A point, the configuration it was projected to, and what that one costs.
struct Particle {
  Coordinates position;
  ConfigurationId id = 0;
  double cost = 0.0;
};

class Swarm : public Algorithm {
 public:
  using Algorithm::Algorithm;

 protected:
  // starting_points(n), measured.
  Task<std::vector<Particle>> start_swarm(std::size_t n);
  // Projects the points and measures what they become.
  Task<std::vector<Particle>> evaluate_points(std::vector<Coordinates> points);
  // Position in the list. Precondition: not empty.
  static std::size_t best_of(const std::vector<Particle>& particles);
};

}  // namespace wattune::search
