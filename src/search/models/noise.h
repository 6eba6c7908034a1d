// Noise: the noise of observations, which says how loosely a Gaussian process may follow them.
//
// A search must know which of the fastest configurations is faster. About the others it need only know that they are
// slow. But a process that must pass through all observations follows steep changes among slow ones, and fits its
// length scales to these. So an observation gets more noise if it is farther from the best. With more observations, all
// get less noise: then enough of them are near the best, and it is useful to follow the slow ones, too.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/models/observed_row.h"

namespace wattune::inline v0_1::search {

class Noise {
 public:
  Noise() = default;
  // Computes the noise from the observations so far. Precondition: there is at least one row.
  explicit Noise(const std::vector<ObservedRow>& rows) {
    const auto n = static_cast<double>(rows.size());
    double sum = 0.0;
    double squares = 0.0;
    lowest_ = rows.front().response;
    for (const ObservedRow& row : rows) {
      lowest_ = std::min(lowest_, row.response);
      sum += row.response;
      squares += row.response * row.response;
    }
    variance_ = std::max(0.0, squares / n - sum / n * (sum / n));
    at_one_deviation_ = kLargestNoise * kHalved / (kHalved + n);
  }

  // Returns the variance of a response's noise, as a share of the responses' variance; 0 for the best.
  double of(double response) const {
    const double distance = std::max(0.0, response - lowest_);
    return variance_ > 0.0 ? at_one_deviation_ * distance * distance / variance_ : 0.0;
  }

 private:
  static constexpr double kLargestNoise = 0.1;  // noise of a response one standard deviation worse than the best
  static constexpr double kHalved = 50.0;       // number of observations with which the noise is half as large

  double lowest_ = 0.0;
  double variance_ = 0.0;  // variance of the responses
  double at_one_deviation_ = 0.0;
};

}  // namespace wattune::search
