// Calibration: by how much a model's predicted deviations must be widened for what was then measured to agree with
// them.
//
// A model that learns noise, or sees less structure than there is, is surer than it may be. The standardised residual,
// an outcome's distance from its prediction in predicted deviations, has a mean square of 1 where the deviations are
// right (Jones, Schonlau, Welch: Efficient Global Optimization of Expensive Black-Box Functions, 1998, section 3, who
// leave one observation out; here predictions are one step ahead). The root of its mean over recent outcomes is the
// factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "search/forest.h"

namespace wattune::search {

class Calibration {
 public:
  // What a model predicted of a configuration, and what it turned out to be.
  void add(const Prediction& prediction, double response) {
    const double error = std::abs(response - prediction.mean);
    const double standardised = std::min(kLargestError, error / std::max(prediction.deviation, kSmallestDeviation));
    outcomes_ = kKeep * outcomes_ + 1.0;
    squares_ = kKeep * squares_ + standardised * standardised;
  }

  // On deviations; 1 or more, so that luck does not make a model surer than it says.
  double factor() const { return std::max(1.0, std::sqrt((squares_ + kTrust) / (outcomes_ + kTrust))); }

 private:
  static constexpr double kKeep = 0.95;  // of what earlier outcomes weigh, per outcome
  static constexpr double kTrust = 5.0;  // outcomes that the model's own deviations count as much as
  static constexpr double kLargestError = 5.0;
  static constexpr double kSmallestDeviation = 1e-9;

  double outcomes_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace wattune::search
