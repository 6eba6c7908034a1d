// TimeCurve: how long a kernel takes at which clock, and with its power what energy it takes there.
//
// t(f) = a + b / f: memory does not hear of the graphics clock, cycles do. A kernel that only computes has a = 0, for
// which the energy is least at the ridge of its power (power_curve.h); the paper there knows this case only. Pure
// functions of values; any thread may call.
//
//   const auto time = model::fit_time_curve(samples);
//   if (!time) return time.error();
//   const auto best = model::least_energy(power.curve, *time, table);
#pragma once

#include <span>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/power_curve.h"

namespace wattune::model {

struct TimeCurve {
  Nanoseconds fixed;    // a: what no graphics clock shortens
  double cycles = 0.0;  // b

  Nanoseconds at(Megahertz clock) const;
};

struct TimeSample {
  Megahertz clock;  // that ran
  Nanoseconds time;
};

// Least squares with both parts at least 0, from two clocks on; a kernel that gets slower as the clock rises has only a
// fixed part. invalid_argument: fewer clocks, a clock or a time that is not positive.
Result<TimeCurve> fit_time_curve(std::span<const TimeSample> samples);

// What one run of a kernel takes at a clock.
struct OperatingPoint {
  Megahertz clock;
  Watts power;
  Nanoseconds time;
  Joules energy;  // of the whole board: P(f) t(f)
};

OperatingPoint operating_point(const PowerCurve& power, const TimeCurve& time, Megahertz clock);

// The clock of the table with the least energy; the higher of two that are alike. invalid_argument: no clocks.
Result<OperatingPoint> least_energy(const PowerCurve& power, const TimeCurve& time, std::span<const Megahertz> table);

}  // namespace wattune::model
