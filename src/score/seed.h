// Derives from one seed an own seed for each purpose.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::score {

// Returns the seed for a purpose, which the words of `path` identify.
inline std::uint64_t derived_seed(std::uint64_t seed, std::initializer_list<std::uint64_t> path) {
  for (const std::uint64_t word : path) seed = Random(seed ^ (word + 1) * 0x9E3779B97F4A7C15ULL).bits();
  return seed;
}

}  // namespace wattune::score
