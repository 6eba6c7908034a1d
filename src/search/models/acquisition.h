// Acquisition functions: they score how promising it is to measure a configuration, from a model's prediction for it.
//
// Source: Willemsen, van Nieuwpoort, van Werkhoven: Bayesian Optimization for auto-tuning GPU kernels, PMBS 2021.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/normal.h"
#include "search/models/forest.h"

namespace wattune::inline v0_1::search {

// The acquisition functions; `multi` chooses among the others by the gains of their earlier proposals.
enum Acquisition : std::size_t { expected_improvement, confidence_bound, improvement_probability, multi };

// Returns the score, which is positive; larger is better. `best` is the lowest value so far; the confidence bound lies
// `kappa` deviations below the predicted mean.
inline double acquire(std::size_t acquisition, const Prediction& prediction, double best, double kappa) {
  const double deviation = std::max(prediction.deviation, 1e-9);
  switch (acquisition) {
    case expected_improvement: return wattune::expected_improvement(prediction.mean, deviation, best);
    case confidence_bound: return std::exp(best - prediction.mean + kappa * deviation);
    default: return normal_share_below((best - prediction.mean) / deviation);
  }
}

}  // namespace wattune::search
