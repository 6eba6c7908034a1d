// Acquisition: how much measuring a configuration promises, from what a model predicts for it.
//
// As in Willemsen, van Nieuwpoort, van Werkhoven: Bayesian Optimization for auto-tuning GPU kernels, PMBS 2021.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/normal.h"
#include "search/forest.h"

namespace wattune::search {

// multi chooses among the others by what they gained so far.
enum Acquisition : std::size_t { expected_improvement, confidence_bound, improvement_probability, multi };

// Positive, larger is better. `best` is the lowest value so far, kappa the deviations that the bound lies below the
// mean.
inline double acquire(std::size_t acquisition, const Prediction& prediction, double best, double kappa) {
  const double deviation = std::max(prediction.deviation, 1e-9);
  switch (acquisition) {
    case expected_improvement: return wattune::expected_improvement(prediction.mean, deviation, best);
    case confidence_bound: return std::exp(best - prediction.mean + kappa * deviation);
    default: return normal_share_below((best - prediction.mean) / deviation);
  }
}

}  // namespace wattune::search
