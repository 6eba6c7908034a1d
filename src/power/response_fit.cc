#include "power/response_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace wattune::inline v0_1::power {

namespace {

// The grids that the fit tries: windows and time constants in equal ratios, lags in equal steps.
constexpr Nanoseconds kShortestResponse = nanoseconds_from_ms(2);
constexpr Nanoseconds kLongestResponse = nanoseconds_from_ms(3000);
constexpr double kResponseRatio = 1.2;
constexpr Nanoseconds kLongestLag = nanoseconds_from_ms(500);
constexpr Nanoseconds kLagStep = nanoseconds_from_ms(10);
constexpr double kLeastGridStepShare = 0.002;  // refining ends when steps are this share of the grid's step
// A lag counts only if its squared error is less than this share of the boxcar's. If both fit about equally well, the
// boxcar is taken, as sensors of today's boards are boxcars.
constexpr double kLagMustBeat = 0.8;

// Returns the estimated moment of a change.
template <typename T>
Nanoseconds moment(const Change<T>& change) {
  return (change.since + change.at) / 2.0;
}

// Returns for how long the load ran before a moment.
Nanoseconds time_on(const std::vector<Burst>& bursts, Nanoseconds until) {
  Nanoseconds sum;
  for (const Burst& each : bursts) {
    if (each.begin >= until) break;
    sum += std::min(each.end, until) - each.begin;
  }
  return sum;
}

// Returns the reading of a boxcar sensor at a moment, for a load that is 1 in bursts and 0 in pauses.
double boxcar_at(const std::vector<Burst>& bursts, Nanoseconds at, Nanoseconds window, Nanoseconds lag) {
  const Nanoseconds end = at - lag;
  return (time_on(bursts, end) - time_on(bursts, end - window)) / window;
}

// Returns the reading of a sensor with a time constant for the same load. In each burst and each pause, the reading
// approaches the load's level.
double lag_at(const std::vector<Burst>& bursts, Nanoseconds at, Nanoseconds time_constant) {
  double shown = 0.0;
  Nanoseconds now;
  const auto draw = [&](double level, Nanoseconds until) {
    shown = level + (shown - level) * std::exp(-((until - now) / time_constant));
    now = until;
  };
  for (const Burst& each : bursts) {
    if (each.begin >= at) break;
    draw(0.0, each.begin);
    draw(1.0, std::min(each.end, at));
  }
  draw(0.0, at);
  return shown;
}

// A line, readings = idle + load * shares, fitted by least squares.
struct Line {
  double idle = 0.0;
  double load = 0.0;
  double left = 0.0;  // sum of squares that the line does not explain
  double all = 0.0;   // sum of squares of the readings about their mean
};

Line fit_line(const std::vector<Change<Watts>>& readings, const std::function<double(Nanoseconds)>& share) {
  const auto count = static_cast<double>(readings.size());
  double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0, sum_yy = 0.0;
  const double origin = readings.front().value.value();  // subtracted, so that squares of large numbers do not cancel
  for (const Change<Watts>& each : readings) {
    const double x = share(moment(each));
    const double y = each.value.value() - origin;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
    sum_yy += y * y;
  }
  const double xx = sum_xx - sum_x * sum_x / count;
  const double xy = sum_xy - sum_x * sum_y / count;
  const double yy = sum_yy - sum_y * sum_y / count;
  const double load = xx > 1e-12 ? xy / xx : 0.0;
  return {origin + (sum_y - load * sum_x) / count, load, std::max(0.0, yy - load * xy), yy};
}

struct Candidate {
  Nanoseconds width;  // window of a boxcar, or time constant of a lag
  Nanoseconds lag;
  Line line;
};

using Shape = std::function<Line(Nanoseconds width, Nanoseconds lag)>;

void keep_better(Candidate& best, const Shape& shape, Nanoseconds width, Nanoseconds lag) {
  if (width < kShortestResponse || lag < Nanoseconds()) return;
  const Line line = shape(width, lag);
  if (line.left < best.line.left) best = {width, lag, line};
}

Candidate best_on_grid(const Shape& shape, Nanoseconds longest_lag) {
  Candidate best{kShortestResponse, {}, shape(kShortestResponse, {})};
  for (Nanoseconds width = kShortestResponse; width <= kLongestResponse; width = width * kResponseRatio)
    for (Nanoseconds lag; lag <= longest_lag; lag += kLagStep) keep_better(best, shape, width, lag);
  return best;
}

// Moves to better neighbours on the grid, and halves the steps if there are none. A step along one axis lengthens the
// window at its older end; a step along the other moves it.
Candidate refined(Candidate best, const Shape& shape, bool with_lag) {
  for (double step = 1.0; step > kLeastGridStepShare;) {
    const Candidate before = best;
    const Nanoseconds width = before.width * ((kResponseRatio - 1.0) * step);
    const Nanoseconds lag = kLagStep * (with_lag ? step : 0.0);
    for (const double sign : {-1.0, 1.0}) {
      keep_better(best, shape, before.width + width * sign, before.lag);
      keep_better(best, shape, before.width, before.lag + lag * sign);
      keep_better(best, shape, before.width + lag * sign, before.lag - lag * sign);
    }
    if (best.line.left == before.line.left) step /= 2.0;
  }
  return best;
}

ResponseFit as_fit(const Candidate& best, Response response) {
  const bool boxcar = response == Response::boxcar;
  return {.response = response,
          .window = boxcar ? best.width : Nanoseconds(),
          .lag = best.lag,
          .time_constant = boxcar ? Nanoseconds() : best.width,
          .idle = Watts(best.line.idle),
          .load = Watts(best.line.load),
          .explained = 1.0 - best.line.left / best.line.all};
}

Nanoseconds median_of(std::vector<Nanoseconds> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

template <typename T>
std::optional<Nanoseconds> update_period(const std::vector<Change<T>>& changes) {
  constexpr double kMostPeriodsPerPause = 5.0;  // number of periods; a longer pause does not come from missed changes
  if (changes.size() < 4) return std::nullopt;
  std::vector<Nanoseconds> intervals;
  for (std::size_t i = 2; i < changes.size(); ++i) intervals.push_back(moment(changes[i]) - moment(changes[i - 1]));
  const Nanoseconds median = median_of(intervals);
  Nanoseconds sum;
  double periods = 0.0;
  for (const Nanoseconds each : intervals) {
    const double share = std::round(each / median);
    if (share < 1.0 || share > kMostPeriodsPerPause) continue;
    sum += each;
    periods += share;
  }
  return sum / periods;
}

template std::optional<Nanoseconds> update_period(const std::vector<Change<Joules>>& changes);
template std::optional<Nanoseconds> update_period(const std::vector<Change<Watts>>& changes);

std::vector<Change<Watts>> power_between(const std::vector<Change<Joules>>& changes, Nanoseconds period) {
  std::vector<Change<Watts>> readings;
  for (std::size_t i = 2; i < changes.size(); ++i) {  // the first reading is not a change
    const Joules used = changes[i].value - changes[i - 1].value;
    const double periods = std::max(1.0, std::round((moment(changes[i]) - moment(changes[i - 1])) / period));
    if (used > Joules()) readings.push_back({changes[i].since, changes[i].at, used / (period * periods)});
  }
  return readings;
}

std::optional<ResponseFit> fit_response(const std::vector<Change<Watts>>& changes, const std::vector<Burst>& bursts) {
  if (changes.size() < 9 || bursts.empty()) return std::nullopt;
  const std::vector<Change<Watts>> readings(changes.begin() + 1, changes.end());  // the first reading is not a change
  const Shape boxcar = [&](Nanoseconds window, Nanoseconds lag) {
    return fit_line(readings, [&](Nanoseconds at) { return boxcar_at(bursts, at, window, lag); });
  };
  const Shape lagging = [&](Nanoseconds time_constant, Nanoseconds) {
    return fit_line(readings, [&](Nanoseconds at) { return lag_at(bursts, at, time_constant); });
  };
  const Candidate of_boxcar = refined(best_on_grid(boxcar, kLongestLag), boxcar, true);
  const Candidate of_lag = refined(best_on_grid(lagging, {}), lagging, false);
  if (of_boxcar.line.all <= 0.0) return std::nullopt;
  const bool lags = of_lag.line.left < kLagMustBeat * of_boxcar.line.left;
  return lags ? as_fit(of_lag, Response::lag) : as_fit(of_boxcar, Response::boxcar);
}

bool follows_load(const ResponseFit& fit) { return fit.load > Watts() && fit.explained > 0.5; }

std::optional<Watts> mean_shown(const std::vector<Change<Watts>>& changes, Nanoseconds begin, Nanoseconds end) {
  Joules sum;
  Nanoseconds covered;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Nanoseconds from = std::max(begin, changes[i].at);
    const Nanoseconds to = i + 1 < changes.size() ? std::min(end, changes[i + 1].at) : end;
    if (to <= from) continue;
    sum += changes[i].value * (to - from);
    covered += to - from;
  }
  return covered > Nanoseconds() ? std::optional(sum / covered) : std::nullopt;
}

double relative_noise(const std::vector<Change<Watts>>& readings, Nanoseconds begin, Nanoseconds end) {
  std::vector<double> shown;
  for (const Change<Watts>& each : readings)
    if (each.at >= begin && each.at <= end) shown.push_back(each.value.value());
  if (shown.size() < 3) return 0.0;
  double sum = shown.front();
  double squares = 0.0;
  for (std::size_t i = 1; i < shown.size(); ++i) {
    sum += shown[i];
    squares += (shown[i] - shown[i - 1]) * (shown[i] - shown[i - 1]);
  }
  const double mean = sum / static_cast<double>(shown.size());
  return mean > 0.0 ? std::sqrt(squares / (2.0 * static_cast<double>(shown.size() - 1))) / mean : 0.0;
}

}  // namespace wattune::power
