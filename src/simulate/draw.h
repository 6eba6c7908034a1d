// Draws random numbers that depend only on a seed and an index. So the n-th number is the same, whatever was drawn
// before.
#pragma once

#include <cstdint>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {

inline Random draws_of(std::uint64_t seed, std::uint64_t place) {
  return Random(seed * 0x9E3779B97F4A7C15 + place * 0xBF58476D1CE4E5B9 + 1);
}

// Returns a number of mean 0 and standard deviation 1, as the sum of twelve uniform numbers. The variance of such a sum
// is 12 / 12.
inline double normal(Random& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

}  // namespace wattune::simulate
