// Hedge: chooses among several acquisition functions, because none of them is always the best.
//
// The method is GP-Hedge (Hoffman, Brochu, de Freitas: Portfolio Allocation for Bayesian Optimization, UAI 2011). It
// draws a function with a probability that grows exponentially with the gains of the function's proposals.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "search/models/acquisition.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::search {

class Hedge {
 public:
  std::size_t draw(Random& random) const {
    std::array<double, multi> shares{};
    double total = 0.0;
    for (std::size_t a = 0; a < multi; ++a) total += shares[a] = std::exp(gains_[a] - std::ranges::max(gains_));
    double place = random.uniform() * total;
    for (std::size_t a = 0; a + 1 < multi; ++a) {
      if (place < shares[a]) return a;
      place -= shares[a];
    }
    return multi - 1;
  }
  // Reduces earlier gains, so that later ones count more. It is called with each outcome of a proposal.
  void forget() {
    for (double& gain : gains_) gain *= kKeptGainShare;
  }
  void add(std::size_t acquisition, double gain) { gains_[acquisition] += gain; }

 private:
  static constexpr double kKeptGainShare = 0.95;  // share of the gains that remains at each call of forget()

  std::array<double, multi> gains_{};
};

}  // namespace wattune::search
