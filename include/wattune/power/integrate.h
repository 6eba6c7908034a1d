// Energy of a time, from what sensors recorded: pure functions of traces, each with a bound of its error.
//
// Any thread may call. Times are on the clock of the Recorder. A sensor's calibration is no part of a bound: all bounds
// are against what an ideal sensor of the same gain would have counted.
//
//   WATTUNE_ASSIGN(const power::CountedSpan span, power::between_publications(recording.energy.front(), begin, end));
//   WATTUNE_ASSIGN(const Joules check, power::integrate(recording.power.front(), span.begin.value, span.end.value));
#pragma once

#include <optional>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/power/recorder.h"

namespace wattune::power {

// What a counter counted between two of its publications. The energy is exact; when each publication happened is known
// to half of what lies between the reading that showed it and the one before.
struct CountedSpan {
  Joules energy;
  Measured<Nanoseconds> begin;
  Measured<Nanoseconds> end;

  Nanoseconds time() const { return end.value - begin.value; }
  // What is not known of how long it was.
  Nanoseconds time_uncertainty() const { return begin.uncertainty + end.uncertainty; }
  // W = J/s.
  Measured<Watts> power() const;
};

// Between the first publication after `from` and the last until `to`, each moved back by the counter's lag. A counter
// that falls has wrapped, where it is known to wrap at so many joules. unavailable: otherwise it was reset; it stands
// still; fewer than two publications lie between.
Result<CountedSpan> between_publications(const Trace<Joules>& counter, Nanoseconds from, Nanoseconds to,
                                         std::optional<Joules> wraps_at = {});

// Of a time whose ends lie anywhere between publications. Between two publications the
// power is taken for that of the interval before up to some moment, and for that of the interval after from then on;
// the bound covers every such moment. Errors as above, and unavailable: no publication at or before `begin`, or at or
// behind `end`.
Result<Measured<Joules>> counted(const Trace<Joules>& counter, Nanoseconds begin, Nanoseconds end,
                                 std::optional<Joules> wraps_at = {});

// The integral of a power sensor's readings, each standing in the middle of what it is the mean of: half a window and
// the lag before its publication; readings before `begin`, such as the ramp of a start, count for nothing else. Of a
// sensor that follows by a time constant C it is E = integral(P) + C * (P(end) - P(begin)), which is what paper 000's
// equation 6, P + C * dP/dt, comes to over a time. The bound, of about 95 %, takes the differences of
// readings that follow each other for chance: a load that repeats with the sensor's period, of which the sensor sees a
// part only, is beyond it. unavailable: no reading until `end`.
Result<Measured<Joules>> integrate(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

// Of a time: energy by time, W.
Result<Measured<Watts>> mean_power(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

}  // namespace wattune::power
