// How a sensor follows the power of its board, found from what it showed while a known load went on and off. Pure
// functions.
#pragma once

#include <optional>
#include <vector>

#include "wattune/power/recorder.h"

namespace wattune::power {

// When a load ran. Bursts are in the order of time and apart.
struct Burst {
  Nanoseconds begin;
  Nanoseconds end;
};

// The time between two changes of what a sensor shows: the median of the intervals, made more exact by their sum, in
// which an interval may hold several periods. Nothing: too few changes.
template <typename T>
std::optional<Nanoseconds> update_period(const std::vector<Change<T>>& changes);

// What a counter says of the power between its changes, in the shape of a power sensor's readings. A change is taken to
// come a whole number of periods after the one before, because the moment at which it was seen is less exact. What
// follows a reset is left out.
std::vector<Change<Watts>> power_between(const std::vector<Change<Joules>>& changes, Nanoseconds period);

struct ResponseFit {
  Response response = Response::boxcar;
  Nanoseconds window;         // of a boxcar
  Nanoseconds lag;            // of a boxcar
  Nanoseconds time_constant;  // of a lag
  Watts idle;                 // what it shows at rest
  Watts load;                 // what the load adds
  double explained = 0.0;     // the share of the readings' variance
};

// The boxcar (mean of a window that ended some time before) or first-order lag (paper 000, equation 6) that explains
// the readings best: the levels by linear least squares, window and lag on a grid that is refined. Nothing: fewer than
// eight readings, or no variance.
std::optional<ResponseFit> fit_response(const std::vector<Change<Watts>>& readings, const std::vector<Burst>& bursts);

// Whether the sensor saw the load: it explains most of what it showed, and adds power.
bool follows_load(const ResponseFit& fit);

// The mean of what it showed from `begin` to `end`, each reading until the next one. Nothing: it shows nothing by then.
std::optional<Watts> mean_shown(const std::vector<Change<Watts>>& changes, Nanoseconds begin, Nanoseconds end);

// Standard deviation of the readings from `begin` to `end`, as a share of their mean: from the differences of
// neighbours, so that a level that still settles is no noise. Zero for fewer than three.
double relative_noise(const std::vector<Change<Watts>>& readings, Nanoseconds begin, Nanoseconds end);

}  // namespace wattune::power
