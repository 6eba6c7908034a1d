// Calibration: the factor by which a model's predicted deviations must be widened to agree with what was then measured.
//
// A model that learns noise, or misses structure of the space, predicts deviations that are too small. The standardised
// residual is an outcome's distance from its prediction in predicted deviations. Its mean square is 1 if the deviations
// are right (Jones, Schonlau, Welch: Efficient Global Optimization of Expensive Black-Box Functions, 1998, section 3).
// These authors predict each observation from all others; here each outcome is predicted from the outcomes before it.
// The factor is the root of that mean square over recent outcomes.
#pragma once

#include <algorithm>
#include <cmath>

#include "search/models/forest.h"

namespace wattune::inline v0_1::search {

class Calibration {
 public:
  // Adds an outcome: the model's prediction for a configuration, and the measured response.
  void add(const Prediction& prediction, double response) {
    const double error = std::abs(response - prediction.mean);
    const double standardised = std::min(kLargestError, error / std::max(prediction.deviation, kSmallestDeviation));
    outcomes_ = kKeptWeight * outcomes_ + 1.0;
    squares_ = kKeptWeight * squares_ + standardised * standardised;
  }

  // Returns the factor by which to multiply deviations. It is at least 1, so that lucky predictions do not narrow the
  // model's deviations.
  double factor() const { return std::max(1.0, std::sqrt((squares_ + kPriorOutcomes) / (outcomes_ + kPriorOutcomes))); }

 private:
  static constexpr double kKeptWeight = 0.95;    // share of their weight that earlier outcomes keep with each new one
  static constexpr double kPriorOutcomes = 5.0;  // outcomes that count as if the model's deviations were right
  static constexpr double kLargestError = 5.0;
  static constexpr double kSmallestDeviation = 1e-9;

  double outcomes_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace wattune::search
