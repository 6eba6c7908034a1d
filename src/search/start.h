// Start: where a search begins that knows nothing of its space.
//
// Hardware works in powers of two: warps, banks, vectors, cache lines. Where a parameter lists powers of two and other
// numbers (16, 32, 48, 64, ...), the powers are the better bet, so that the first configurations keep to them. And as
// nobody knows which parameters matter, a few configurations show as many of their values as they can.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "search/coordinates.h"

namespace wattune::search {

// The parameters that list powers of two and other positive integers, and nothing else.
class PowersOfTwo {
 public:
  explicit PowersOfTwo(const space::SearchSpace& space);

  // The point with each of their coordinates moved to the nearest power of two in the list (of two, the lower).
  Coordinates nearest(Coordinates point) const;
  // How many of them are none in a configuration.
  std::size_t missed(const Coordinates& configuration) const;

 private:
  std::vector<std::vector<double>> places_;  // of the powers in each list, ascending; empty for other parameters
};

// Of `pool`, which was drawn at random, n different ones (or all) that are not in `begun`, so that few configurations
// show each value about as often as the pool has it: each the one whose values are behind that by most, in the sum over
// all parameters; of equals the first. Where the pool has all values alike that is a Latin hypercube design (McKay,
// Beckman and Conover, Technometrics 21, 1979); values that few valid configurations have are not preferred.
std::vector<ConfigurationId> spread_over_values(const space::SearchSpace& space,
                                                const std::vector<ConfigurationId>& begun,
                                                std::vector<ConfigurationId> pool, std::size_t n);

// How often each two values of two parameters occur together in what was shown. Greedily choosing, of some drawn at
// random, what shows the fewest known pairs covers nearly all of them soon (Cohen, Dalal, Fredman, Patton: The AETG
// system, IEEE Transactions on Software Engineering 23(7), 1997).
class PairCounts {
 public:
  explicit PairCounts(const space::SearchSpace& space);
  void add(ConfigurationId id);
  // The sum over all its pairs.
  std::size_t of(ConfigurationId id) const;

 private:
  using Key = std::uint64_t;
  std::vector<Key> pairs_of(ConfigurationId id) const;

  const space::SearchSpace& space_;
  Key largest_ = 1;  // the values of a parameter, at most
  std::unordered_map<Key, std::size_t> counts_;
};

}  // namespace wattune::search
