// TimeCurve is the time of a kernel as a function of the clock. Together with a power curve it gives the energy.
//
// t(f) = max(a + b / f, c): the graphics clock changes the time of cycles, but not that of memory accesses. Some
// kernels gain nothing above some clock, because memory is then the bottleneck or the board does not get faster. A
// kernel that only computes has a = c = 0, and its energy is least at the ridge of its power (power_curve.h);
// Schoonhoven et al. 2022 cover only this case. All functions are pure functions of values, and any thread may call
// them.
//
//   const auto time = model::fit_time_curve(samples);
//   if (!time) return time.error();
//   const auto best = model::least_energy(power.curve, *time, table);
#pragma once

#include <span>

#include "model/interface/power_curve.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

struct TimeCurve {
  Nanoseconds fixed;    // a: time that no graphics clock shortens
  double cycles = 0.0;  // b: the part of the time that is inversely proportional to the clock
  // c: the least time at any clock; 0 if the kernel gains up to the highest clock
  Nanoseconds least = {};

  Nanoseconds at(Megahertz clock) const;
};

struct TimeSample {
  Megahertz clock;  // the clock that the board ran at
  Nanoseconds time;
};

// Fits a curve by least squares of relative errors, with all parts at least 0. A kernel that gets slower as the clock
// rises has only a fixed part. A least time is fitted only if it explains the samples so much better that it is worth
// two further parameters (Bayesian information criterion). Fails with invalid_argument if there are fewer than two
// clocks, or if a clock or a time is not positive.
Result<TimeCurve> fit_time_curve(std::span<const TimeSample> samples);

// Power, time and energy of one run of a kernel at a clock.
struct OperatingPoint {
  Megahertz clock;
  Watts power;
  Nanoseconds time;
  Joules energy;  // energy of the whole board: P(f) t(f)
};

OperatingPoint operating_point(const PowerCurve& power, const TimeCurve& time, Megahertz clock);

// Returns the clock of the table with the least energy, and the higher one of two with equal energy. Fails with
// invalid_argument if there are no clocks.
Result<OperatingPoint> least_energy(const PowerCurve& power, const TimeCurve& time, std::span<const Megahertz> table);

}  // namespace wattune::model
