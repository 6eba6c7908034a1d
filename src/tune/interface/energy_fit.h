// EnergyFit: the energy of one compiled kernel as a function of the graphics clock, fitted to measurements at several
// clocks.
//
// The energy is the board's power curve under that kernel (model/power_curve.h) times its time (model/time_curve.h).
// This is the paper's model-steered method (Schoonhoven et al., PMBS 2022, section IV) with P(f) t(f) instead of P(f) /
// f, which holds for kernels that only compute. Clocks at which the board is throttled are left out. All functions are
// plain functions of values, and any thread may call them.
//
//   WATTUNE_ASSIGN(const EnergyFit fit, fit_energy(sweep));
//   tune_between(fit.steered.low, fit.steered.high);
#pragma once

#include <cstddef>
#include <vector>

#include "model/interface/power_curve.h"
#include "model/interface/time_curve.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/search/method.h"

namespace wattune::inline v0_1::tune {

struct EnergyAtClock {
  Megahertz clock;
  Joules fitted;
  // Bounds of the energy: those of the power with about 95 % confidence (model::likely_power()), times the fitted time.
  Joules low;
  Joules high;
};

struct EnergyFit {
  model::PowerFit power;
  model::TimeCurve time;
  model::OperatingPoint least;  // minimum of P(f) t(f) between the ends of the sweep
  // The clocks within 10 % of `least`. The range is wider if the fit deviates more from its points, and always includes
  // the clock of the sweep's best point.
  search::ClockRange steered;
  std::size_t left_out = 0;          // number of clocks at which the board is throttled, which are left out
  std::vector<EnergyAtClock> curve;  // points that are evenly spaced from the first clock of the sweep to the last
};

// Fits the energy to `sweep`, which is ascending by clock and has one point for each clock. Fails as
// model::fit_power_curve() does, which needs five clocks or more, and as model::fit_time_curve() does. Fails with
// invalid_argument if `sweep` is empty.
Result<EnergyFit> fit_energy(const std::vector<search::ClockPoint>& sweep);

}  // namespace wattune::tune
