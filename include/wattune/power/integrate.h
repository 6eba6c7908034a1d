// Computes the energy of a time from recorded sensors. Pure functions of traces, each result with a bound of its error.
//
// Any thread may call. Times are on the clock of the Recorder. The calibration of a sensor is in no bound: bounds refer
// to what an ideal sensor of the same gain would have counted.
//
//   WATTUNE_ASSIGN(const power::CountedSpan span, power::between_publications(recording.energy.front(), begin, end));
//   WATTUNE_ASSIGN(const Joules check, power::integrate(recording.power.front(), span.begin.value, span.end.value));
#pragma once

#include <optional>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/power/recorder.h"

namespace wattune::power {

// The energy that a counter counted between two of its publications. The energy is exact. The moment of a publication
// is known to half of the time between the reading that showed it and the reading before.
struct CountedSpan {
  Joules energy;
  Measured<Nanoseconds> begin;
  Measured<Nanoseconds> end;

  Nanoseconds time() const { return end.value - begin.value; }
  // Returns the uncertainty of its length.
  Nanoseconds time_uncertainty() const { return begin.uncertainty + end.uncertainty; }
  // Returns the mean power; W = J/s.
  Measured<Watts> power() const;
};

// Counts between the first publication after `from` and the last until `to`, each moved back by the counter's lag. A
// counter that falls has wrapped if `wraps_at` gives the joules at which it does. Fails with unavailable if it was
// reset, if it stands still, or if fewer than two publications lie between.
Result<CountedSpan> between_publications(const Trace<Joules>& counter, Nanoseconds from, Nanoseconds to,
                                         std::optional<Joules> wraps_at = {});

// Estimates the energy of a time whose ends may lie between publications. Within such an interval the power is assumed
// to change once, from that of the interval before to that of the interval after. The bound covers every moment of the
// change. Fails as between_publications() does, and with unavailable if no publication is at or before `begin`, or at
// or after `end`.
Result<Measured<Joules>> counted(const Trace<Joules>& counter, Nanoseconds begin, Nanoseconds end,
                                 std::optional<Joules> wraps_at = {});

// Integrates a power sensor's readings. Each reading stands in the middle of what it averages: half a window and the
// lag before its publication. Readings before `begin`, such as those of a starting ramp, do not count.
//
// For a sensor with a time constant C the result is E = integral(P) + C * (P(end) - P(begin)), the integral of P + C *
// dP/dt, paper 000's equation 6. The bound, of about 95 %, takes the differences of successive readings for chance. It
// does not cover a load that repeats with the sensor's period if the sensor sees only a part of it. Fails with
// unavailable if there is no reading until `end`.
Result<Measured<Joules>> integrate(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

// Returns the mean power of a time: its energy over its length, in W.
Result<Measured<Watts>> mean_power(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

}  // namespace wattune::power
