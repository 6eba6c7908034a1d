// EnergyFit: the energy of one code against the graphics clock, fitted to what it took at several clocks.
//
// The power curve of the board under that code (model/power_curve.h) times its time (model/time_curve.h): the paper's
// steering (Schoonhoven et al., PMBS 2022, section IV) with P(f) t(f) in the place of P(f) / f, which is the case of a
// kernel that only computes. Clocks at which the board is held back are left out. Functions of values; any thread may
// call.
//
//   WATTUNE_ASSIGN(const EnergyFit fit, fit_energy(sweep));
//   tune_between(fit.steered.low, fit.steered.high);
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/power_curve.h"
#include "wattune/model/time_curve.h"
#include "wattune/search/method.h"

namespace wattune::tune {

struct EnergyAtClock {
  Megahertz clock;
  Joules fitted;
  // About 95 % confidence of the power (model::likely_power()), at the fitted time.
  Joules low;
  Joules high;
};

struct EnergyFit {
  model::PowerFit power;
  model::TimeCurve time;
  model::OperatingPoint least;       // of P(f) t(f), between the ends of the sweep
  search::ClockRange steered;        // 10 % to either side of it
  std::size_t left_out = 0;          // clocks at which the board is held back
  std::vector<EnergyAtClock> curve;  // evenly spaced from the first clock of the sweep to the last
};

// `sweep` is ascending by clock, one point for each. Errors of model::fit_power_curve() and fit_time_curve(), of which
// the first is that there are fewer than five clocks.
Result<EnergyFit> fit_energy(const std::vector<search::ClockPoint>& sweep);

}  // namespace wattune::tune
