// Choice of the configurations with which a search begins, when it knows nothing of its space.
//
// Hardware works in powers of two: warps, banks, vectors, cache lines. If a parameter lists powers of two and other
// numbers (16, 32, 48, 64, ...), the powers are more likely to be fast, so the first configurations use only these.
// Nobody knows yet which parameters matter, so a few configurations show as many of their values as they can.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "search/strategies/coordinates.h"

namespace wattune::inline v0_1::search {

// The parameters whose values are positive integers, some of them powers of two and some not.
class PowersOfTwo {
 public:
  explicit PowersOfTwo(const space::SearchSpace& space);

  // Returns the point with each of these parameters moved to the position of the nearest power of two in its list; of
  // two equally near ones, the lower.
  Coordinates nearest(Coordinates point) const;
  // Returns how many of these parameters have a value other than a power of two in a configuration.
  std::size_t missed(const Coordinates& configuration) const;

 private:
  std::vector<std::vector<double>> places_;  // positions of the powers; empty: other parameters
};

// Chooses n different configurations (or all) from `pool`, which was drawn at random, that are not in `begun`. A few
// configurations then show each value about as often as the pool has it. Each choice is the configuration whose values,
// summed over all parameters, have been shown too rarely by most; of equals the first. If the pool has all values
// alike, that is a Latin hypercube design (McKay, Beckman and Conover, Technometrics 21, 1979). Values that few valid
// configurations have are not preferred.
std::vector<ConfigurationId> spread_over_values(const space::SearchSpace& space,
                                                const std::vector<ConfigurationId>& begun,
                                                std::vector<ConfigurationId> pool, std::size_t n);

// Counts of how often any two values of two parameters occurred together in the configurations so far. If one always
// chooses, of some random configurations, the one with the smallest counts, nearly all pairs soon occur. That follows
// Cohen, Dalal, Fredman, Patton: The AETG system, IEEE Transactions on Software Engineering 23(7), 1997.
class PairCounts {
 public:
  explicit PairCounts(const space::SearchSpace& space);
  void add(ConfigurationId id);
  // Returns the sum of the counts over all pairs of a configuration.
  std::size_t of(ConfigurationId id) const;

 private:
  using Key = std::uint64_t;
  std::vector<Key> pairs_of(ConfigurationId id) const;

  const space::SearchSpace& space_;
  Key largest_ = 1;  // largest number of values of a parameter
  std::unordered_map<Key, std::size_t> counts_;
};

}  // namespace wattune::search
