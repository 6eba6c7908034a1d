#include "wattune/power/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/root_of_squares.h"
#include "power/counter_trace.h"
#include "power/resolution.h"

namespace wattune::inline v0_1::power {

namespace {

// Period of a counter whose period is unknown; boards publish every 20 to 100 ms.
constexpr Nanoseconds kUsualPeriod = nanoseconds_from_ms(100);

Nanoseconds period_of(const SensorTraits& traits) {
  return traits.period > Nanoseconds() ? traits.period : kUsualPeriod;
}

Error stands_still(const std::string& name, Nanoseconds time) {
  return Error(ErrorCode::unavailable,
               fmt::format("the energy counter {} stands still: no change in {:.0f} ms", name, to_ms(time)))
      .hint("`wattune power` shows the other sensors of this board");
}

// Fails if the counter stands still: it should have changed again since its last change. The lag delays its values, but
// does not make them last longer.
Result<void> check_alive(const Trace<Joules>& counter, Nanoseconds from, Nanoseconds to) {
  constexpr double kStandstillPeriods = 5.0;                          // number of periods; a reading may come late
  constexpr Nanoseconds kLeastStandstill = nanoseconds_from_ms(100);  // least such time, since some readings may get
                                                                      // lost
  Nanoseconds last = from;
  for (const Change<Joules>& change : counter.changes)
    if (change.at <= to) last = std::max(last, change.at);
  if (to - last < std::max(kStandstillPeriods * period_of(counter.sensor.traits), kLeastStandstill)) return {};
  return stands_still(counter.sensor.name, to - last);
}

// A reading, placed in the middle of the time that it averages.
struct Point {
  Nanoseconds at;
  Watts power;
};

// Returns the readings as points. A sensor that publishes the same value again shows no change, so a value is repeated
// each period until one period before the next change.
std::vector<Point> points_of(const Trace<Watts>& trace, Nanoseconds end) {
  const SensorTraits& traits = trace.sensor.traits;
  const Nanoseconds back = traits.lag + (traits.response == Response::boxcar ? traits.window / 2.0 : Nanoseconds());
  std::vector<Point> points;
  for (const Change<Watts>& change : trace.changes) {
    const Nanoseconds at = (change.since + change.at) / 2.0 - back;
    if (!points.empty() && at - points.back().at > 1.5 * period_of(traits))
      points.push_back({at - period_of(traits), points.back().power});
    points.push_back({at, change.value});
  }
  if (!points.empty() && points.back().at < end) points.push_back({end, points.back().power});
  return points;
}

Watts power_at(const std::vector<Point>& points, Nanoseconds moment) {
  const auto behind = std::ranges::lower_bound(points, moment, {}, &Point::at);
  if (behind == points.begin()) return behind->power;
  if (behind == points.end()) return points.back().power;
  const Point& before = *(behind - 1);
  const double share = (moment - before.at) / (behind->at - before.at);
  return before.power + (behind->power - before.power) * share;
}

// Returns the points within a time, with one added at each end.
std::vector<Point> cut(const std::vector<Point>& points, Nanoseconds begin, Nanoseconds end) {
  std::vector<Point> inside{{begin, power_at(points, begin)}};
  for (const Point& point : points)
    if (point.at > begin && point.at < end) inside.push_back(point);
  inside.push_back({end, power_at(points, end)});
  return inside;
}

Joules trapezoids(const std::vector<Point>& points) {
  Joules sum;
  for (std::size_t i = 1; i < points.size(); ++i)
    sum += (points[i - 1].power + points[i].power) / 2.0 * (points[i].at - points[i - 1].at);
  return sum;
}

// Returns the sum of the squared differences of successive readings, in W^2.
double squares_of(std::span<const Point> points) {
  double squares = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i)
    squares += std::pow((points[i].power - points[i - 1].power).value(), 2);
  return squares;
}

// Returns the half width of a 95 % interval of a sum of readings that stand for a period each. The half width is two
// and a half standard deviations, because these are estimated from few readings. The variance of a reading is half the
// mean square of successive differences (von Neumann). Readings that count twice are fewer, and each adds more.
Joules chance(const std::vector<Point>& points, Nanoseconds period, double of_weights) {
  return 2.5 * Watts(std::sqrt((1.0 + 2.0 * of_weights) * squares_of(points) / 2.0)) * period;
}

Nanoseconds reading_gap(const Trace<Watts>& trace) {
  Nanoseconds widest;
  for (const Change<Watts>& change : trace.changes) widest = std::max(widest, change.at - change.since);
  return widest;
}

Watts difference_of(Watts a, Watts b) { return Watts(std::abs((a - b).value())); }

// The error of equation 6, which uses the power at both ends: the part by the noise of readings, and the part by
// changes between two readings that noise does not explain.
struct CorrectionError {
  Joules noise;
  Joules changes;
};

CorrectionError correction_error(const std::vector<Point>& inside, const SensorTraits& traits) {
  constexpr double kNoiseDeviations = 4.0;  // a change beyond this many deviations is no noise
  const std::span<const Point> between = std::span(inside).subspan(1, inside.size() - 2);
  const double pairs = between.size() > 1 ? static_cast<double>(between.size() - 1) : 1.0;
  const Watts noise =
      std::max(traits.noise * inside.front().power, Watts(std::sqrt(squares_of(between) / 2.0 / pairs)));
  const auto beyond_noise = [&](const Point& one, const Point& other) {
    return std::max(Watts(), difference_of(one.power, other.power) - kNoiseDeviations * noise);
  };
  const Watts changes =
      beyond_noise(inside.front(), inside[1]) + beyond_noise(inside.back(), inside[inside.size() - 2]);
  return {2.0 * std::numbers::sqrt2 * noise * traits.time_constant, changes * traits.time_constant};
}

}  // namespace

Measured<Watts> CountedSpan::power() const {
  const Watts mean = energy / time();
  return {mean, mean * (time_uncertainty() / time())};
}

Result<CountedSpan> between_publications(const Trace<Joules>& counter, Nanoseconds from, Nanoseconds to,
                                         std::optional<Joules> wraps_at) {
  WATTUNE_TRY(check_alive(counter, from, to));
  WATTUNE_ASSIGN(const CounterTrace trace, CounterTrace::of(counter, to, wraps_at));
  std::vector<Publication> inside;
  for (const Publication& each : trace.publications())
    if (each.at.value - each.at.uncertainty >= from && each.at.value + each.at.uncertainty <= to)
      inside.push_back(each);
  if (inside.size() < 2)
    return Error(ErrorCode::unavailable, fmt::format("the energy counter {} changed fewer than twice in {:.0f} ms",
                                                     counter.sensor.name, to_ms(to - from)))
        .hint("take a longer window");
  const Publication& first = inside.front();
  const Publication& last = inside.back();
  return CountedSpan{last.counted - first.counted, first.at, last.at};
}

Result<Measured<Joules>> counted(const Trace<Joules>& counter, Nanoseconds begin, Nanoseconds end,
                                 std::optional<Joules> wraps_at) {
  WATTUNE_TRY(check_alive(counter, begin, end));
  // Collects also one interval beyond that in which `end` lies, for the power after `end`.
  WATTUNE_ASSIGN(const CounterTrace trace,
                 CounterTrace::of(counter, end + 1.5 * period_of(counter.sensor.traits), wraps_at));
  WATTUNE_ASSIGN(const Measured<Joules> before, trace.at(begin));
  WATTUNE_ASSIGN(const Measured<Joules> after, trace.at(end));
  return Measured<Joules>{after.value - before.value, before.uncertainty + after.uncertainty};
}

Result<Measured<Joules>> integrate(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end) {
  const std::vector<Point> points = points_of(power, end);
  if (points.empty() || points.front().at >= end)
    return Error(ErrorCode::unavailable, fmt::format("the power sensor {} gave no reading", power.sensor.name));
  const SensorTraits& traits = power.sensor.traits;
  const std::vector<Point> inside = cut(points, begin, end);
  Joules energy = trapezoids(inside);
  // If all readings came late by half the time between two readings, both ends of the integral would move.
  const Watts change = inside.back().power - inside.front().power;
  Joules bound = difference_of(change, Watts()) * (reading_gap(power) / 2.0);
  const Joules by_rounding = rounding_of(power, begin, end) * (end - begin);
  Joules by_chance = Joules(root_of_squares(
      chance(inside, period_of(traits), variance_of_weights(power, begin, end)).value(), by_rounding.value()));
  if (traits.response == Response::lag) {
    const CorrectionError error = correction_error(inside, traits);
    energy += change * traits.time_constant;
    by_chance = Joules(root_of_squares(by_chance.value(), error.noise.value()));
    bound += error.changes;
  }
  bound += by_chance;
  return Measured<Joules>{energy, bound};
}

Result<Measured<Watts>> mean_power(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end) {
  WATTUNE_ASSIGN(const Measured<Joules> energy, integrate(power, begin, end));
  return Measured<Watts>{energy.value / (end - begin), energy.uncertainty / (end - begin)};
}

}  // namespace wattune::power
