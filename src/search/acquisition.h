// Acquisition: how much measuring a configuration promises, from what a model predicts for it.
//
// As in Willemsen, van Nieuwpoort, van Werkhoven: Bayesian Optimization for auto-tuning GPU kernels, PMBS 2021.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "search/forest.h"

namespace wattune::search {

// multi chooses among the others by what they gained so far.
enum Acquisition : std::size_t { expected_improvement, confidence_bound, improvement_probability, multi };

// Positive, larger is better. `best` is the lowest value so far, kappa the deviations that the bound lies below the
// mean.
inline double acquire(std::size_t acquisition, const Prediction& prediction, double best, double kappa) {
  const double deviation = std::max(prediction.deviation, 1e-9);
  const double z = (best - prediction.mean) / deviation;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  switch (acquisition) {
    case expected_improvement:
      return deviation * (z * below + std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi));
    case confidence_bound: return std::exp(best - prediction.mean + kappa * deviation);
    default: return below;
  }
}

}  // namespace wattune::search
