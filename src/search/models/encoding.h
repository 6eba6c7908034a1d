// Encoding: turns configurations into numbers that models can learn from.
//
// The effect of a kernel's parameter depends less on its place in the list of values than on
//   - ratios: a block of 64 is to 32 what 128 is to 64,
//   - how often two divides it: hardware works in powers of two, and blocks of 64 and 128 may both be fast where 80 and
//     96 are not,
//   - its product with another one: threads of a block, elements of a tile, bytes of memory.
//
// A Gaussian process gets logarithms, from which it can learn products too, and the exponents of two. A forest, which
// splits one column at a time, gets positions (in the same order as logarithms), exponents of two, and products.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/strategies/coordinates.h"

namespace wattune::inline v0_1::search {

class Encoding {
 public:
  explicit Encoding(const space::SearchSpace& space);

  // Returns the number of columns in a forest's row.
  std::size_t width() const { return coordinates_.size() + exponents_.size() + products_.size(); }
  // Appends a configuration's row for a forest: the positions of its values, their exponents of two, and products of
  // parameters.
  void append_row(ConfigurationId id, std::vector<std::uint16_t>& rows) const;
  // Returns the point of a configuration for a Gaussian process. It has a coordinate from 0 to 1 for each parameter of
  // several values, and then the exponents of two, from 0 to 1/2.
  Coordinates point(ConfigurationId id) const;
  // Returns which of a point's coordinates are parameters of two values.
  std::vector<bool> flags() const;

 private:
  struct Exponents {
    std::size_t parameter = 0;
    std::vector<std::uint16_t> of_value;
    double largest = 1.0;
  };

  const space::SearchSpace& space_;
  std::vector<std::vector<double>> coordinates_;  // coordinates of the values of each parameter
  std::vector<std::vector<double>> octaves_;      // base-2 logarithms over the smallest value; only if all are positive
  std::vector<Exponents> exponents_;
  std::vector<std::pair<std::size_t, std::size_t>> products_;  // pairs of parameters whose products are columns
};

}  // namespace wattune::search
