// Walk and LocalSearch: the common part of algorithms that go from configuration to configuration, or from neighbour to
// better neighbour.
#pragma once

#include <array>

#include "search/strategies/algorithm.h"

namespace wattune::inline v0_1::search {

// The neighbourhoods that the parameter `neighbourhood` of a strategy chooses by number.
inline constexpr std::array kNeighbourhoods = {space::Neighbourhood::hamming, space::Neighbourhood::adjacent,
                                               space::Neighbourhood::strictly_adjacent};

// The largest number of neighbours. With n parameters, the adjacent kinds have up to 3^n neighbours; if there are more
// than this number, only the nearest count.
inline constexpr std::size_t kMaxNeighbours = 1'000;

class Walk : public Algorithm {
 public:
  using Algorithm::Algorithm;

 protected:
  // Returns the end of a random walk, each step of which changes one parameter.
  ConfigurationId random_walk(ConfigurationId id, std::size_t steps);
  // True if Metropolis' rule accepts a loss. Loss and temperature are shares of the best objective.
  bool metropolis(double loss, double temperature);
  // Returns a start that works: the first starting point that does not fail; nullopt if all configurations failed or
  // are visited.
  Task<std::optional<Point>> find_start();
};

class LocalSearch : public Walk {
 public:
  // Makes a local search, which reads the parameter `neighbourhood`.
  LocalSearch(const space::SearchSpace& space, const StrategyOptions& options)
      : Walk(space, options), neighbourhood_(kNeighbourhoods.at(count_option("neighbourhood"))) {}

 protected:
  enum class Order { random, ascending };

  // Returns the neighbours, sorted by their ids or shuffled.
  std::vector<ConfigurationId> neighbours(ConfigurationId id, Order order = Order::random);
  // Looks at the neighbours in the given order and moves to the first better one, until there is none.
  Task<Point> first_improvement(Point here, Order order = Order::random);
  // Moves to the best of all neighbours until none is better. The neighbours are measured together.
  Task<Point> best_improvement(Point here);

 private:
  space::Neighbourhood neighbourhood_;
};

}  // namespace wattune::search
