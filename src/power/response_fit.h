// Finds how a sensor follows the power of its board, from its readings while a known load goes on and off. Pure
// functions.
#pragma once

#include <optional>
#include <vector>

#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// The time in which a load ran without a pause. Bursts are in the order of time and do not touch.
struct Burst {
  Nanoseconds begin;
  Nanoseconds end;
};

// Returns the time between two changes of a sensor's value. It is the median of the intervals. Their sum makes it more
// exact, where an interval may count as several periods. Returns nullopt if there are too few changes.
template <typename T>
std::optional<Nanoseconds> update_period(const std::vector<Change<T>>& changes);

// Converts the changes of a counter to power, in the form of a power sensor's readings. A change is assumed to come a
// whole number of periods after the one before, because that is more exact than the moment of its reading. Leaves out
// an interval in which the counter was reset.
std::vector<Change<Watts>> power_between(const std::vector<Change<Joules>>& changes, Nanoseconds period);

struct ResponseFit {
  Response response = Response::boxcar;
  Nanoseconds window;         // boxcar: the time that a reading averages
  Nanoseconds lag;            // boxcar: from the end of the window to the reading
  Nanoseconds time_constant;  // lag: the time constant
  Watts idle;                 // level at rest
  Watts load;                 // power that the load adds
  double explained = 0.0;     // share of the readings' variance that the fit explains
};

// Fits a boxcar (mean of a window that ended some time before) or a first-order lag (Guerreiro et al. 2015, equation
// 6), whichever explains the readings better. The levels are found by linear least squares; window and lag are searched
// for on a grid that is refined. Returns nullopt if there are fewer than eight readings or no variance.
std::optional<ResponseFit> fit_response(const std::vector<Change<Watts>>& readings, const std::vector<Burst>& bursts);

// True if the sensor saw the load: the fit explains most of its readings, and the load adds power.
bool follows_load(const ResponseFit& fit);

// Returns the mean of the readings from `begin` to `end`, each valid until the next one; nullopt if there is no reading
// before `end`.
std::optional<Watts> mean_shown(const std::vector<Change<Watts>>& changes, Nanoseconds begin, Nanoseconds end);

// Returns the standard deviation of the readings from `begin` to `end`, as a share of their mean. It is computed from
// the differences of successive readings, so that a slow change of the level does not count as noise. Returns 0 for
// fewer than three readings.
double relative_noise(const std::vector<Change<Watts>>& readings, Nanoseconds begin, Nanoseconds end);

}  // namespace wattune::power
