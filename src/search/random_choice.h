// Random choices that the strategies share, on top of core/random.h.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "wattune/core/random.h"

namespace wattune::search {

// Every order equally likely (Fisher, Yates).
template <typename T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// Normally distributed, mean 0, standard deviation 1 (Box, Muller 1958).
inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

}  // namespace wattune::search
