// Noise: how loosely a Gaussian process may follow what was observed.
//
// A search must tell the fastest configurations apart. Of the others it is enough to know that they are slow, but a
// process that has to pass through them all bends for cliffs between slow ones, and takes its length scales from them.
// So an observation has the more noise the farther it is from the best. The more observations there are, the less: then
// enough of them are near the best, and what slow ones say of it is worth following.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/observed_row.h"

namespace wattune::search {

class Noise {
 public:
  Noise() = default;
  // By what was observed until now. Precondition: at least one row.
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
    at_one_deviation_ = kLargest * kHalved / (kHalved + n);
  }

  // Its variance, as a share of the responses' variance; none for the best.
  double of(double response) const {
    const double distance = std::max(0.0, response - lowest_);
    return variance_ > 0.0 ? at_one_deviation_ * distance * distance / variance_ : 0.0;
  }

 private:
  static constexpr double kLargest = 0.1;  // at one standard deviation of the responses from the best,
  static constexpr double kHalved = 50.0;  // and half as much with so many observations

  double lowest_ = 0.0;
  double variance_ = 0.0;  // of the responses
  double at_one_deviation_ = 0.0;
};

}  // namespace wattune::search
