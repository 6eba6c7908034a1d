// Computes the stationary distribution of a Markov chain.
#pragma once

#include <cstddef>
#include <vector>

namespace wattune::inline v0_1::model {

// A matrix of transition probabilities, stored row by row; each row adds up to 1.
struct Transitions {
  std::size_t states = 0;
  std::vector<double> probabilities = std::vector<double>(states * states, 0.0);

  double& at(std::size_t from, std::size_t to) { return probabilities[from * states + to]; }
  double at(std::size_t from, std::size_t to) const { return probabilities[from * states + to]; }
};

// Returns pi with pi P = pi, by dense LU. Precondition: the chain has a single closed set of states, which is reached
// from all others.
std::vector<double> stationary_distribution(const Transitions& chain);

}  // namespace wattune::model
