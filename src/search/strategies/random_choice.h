// Random choices that several strategies need, built on core/random.h.
#pragma once

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::search {

// Shuffles a list; every order is equally likely (Fisher, Yates).
template <typename T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// Draws a position with a probability proportional to its weight. Precondition: at least one weight is positive, and no
// weight is negative.
inline std::size_t weighted_choice(const std::vector<double>& weights, Random& random) {
  double place = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    chosen = i;
    if (place < weights[i]) break;
    place -= weights[i];
  }
  return chosen;
}

// Draws from the normal distribution of mean 0 and standard deviation 1 (Box, Muller 1958).
inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

}  // namespace wattune::search
