// Choice of the configurations with which a search begins, when it knows nothing about its space.
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

  // Returns the point with each of these parameters moved to the position of the nearest power of two in its list; the
  // lower one if two are equally near.
  Coordinates nearest(Coordinates point) const;
  // Returns how many of these parameters have a value other than a power of two in a configuration.
  std::size_t missed(const Coordinates& configuration) const;

 private:
  std::vector<std::vector<double>> places_;  // positions of the powers of two, by parameter; empty for other parameters
};

// Chooses n different configurations (or all) from `pool`, which was drawn at random, that are not in `begun`. A few
// configurations then show each value about as often as the pool has it. Each choice is the configuration whose values,
// summed over all parameters, have been shown most too rarely, and the first one among equals. If all values occur
// equally often in the pool, the result is a Latin hypercube design (McKay, Beckman and Conover, Technometrics 21,
// 1979). Values that few valid configurations have are not preferred.
std::vector<ConfigurationId> spread_over_values(const space::SearchSpace& space,
                                                const std::vector<ConfigurationId>& begun,
                                                std::vector<ConfigurationId> pool, std::size_t n);

// Counts of how often any two values of two parameters occurred together in the configurations so far. If the
// configuration with the smallest counts is always chosen among some random ones, nearly all pairs soon occur. This
// follows Cohen, Dalal, Fredman, Patton: The AETG system, IEEE Transactions on Software Engineering 23(7), 1997.
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
  Key largest_ = 1;  // the largest number of values of a parameter
  std::unordered_map<Key, std::size_t> counts_;
};

}  // namespace wattune::search
