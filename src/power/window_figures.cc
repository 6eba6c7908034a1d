#include "power/window_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/root_of_squares.h"
#include "power/board_sensors.h"
#include "power/counter_trace.h"
#include "power/end_errors.h"
#include "power/phase_error.h"
#include "power/resolution.h"

namespace wattune::inline v0_1::power {

namespace {

// The energy of a time within the window. If possible, the time reaches from one publication of the counter to another.
struct Told {
  Measured<Joules> energy;
  Nanoseconds begin;
  Nanoseconds end;
  std::string sensor;
};

Result<Told> told_by_counter(const Trace<Joules>& counter, const RunWindow& window) {
  // Beyond the last phase the load runs on, so that the counter shows the last batch. If it was not read in time, the
  // load ran on for longer, and all of that counts.
  const bool all_phases = window.phases && !window.ended_after;
  Result<CountedSpan> counted_span = between_publications(counter, window.begin, window.end);
  if (all_phases)
    if (auto of_phases = between_publications(counter, window.begin, window.phases->end()); of_phases)
      counted_span = std::move(of_phases);
  if (!counted_span) return counted_span.error();
  const CountedSpan& span = *counted_span;
  // Only the length of the time is uncertain. The number of launches in it is proportional to its length.
  const Joules unknown = span.power().value * span.time_uncertainty();
  return Told{{span.energy, unknown}, span.begin.value, span.end.value, counter.sensor.name};
}

// Returns a function that computes the mean power of a time from the readings of a power sensor or a counter.
auto mean_by(const Trace<Watts>& power) {
  return [&](Nanoseconds begin, Nanoseconds end) -> Result<Watts> {
    WATTUNE_ASSIGN(const Measured<Watts> mean, mean_power(power, begin, end));
    return mean.value;
  };
}
auto mean_by(const Trace<Joules>& counter) {
  return [&](Nanoseconds begin, Nanoseconds end) -> Result<Watts> {
    WATTUNE_ASSIGN(const Measured<Joules> energy, counted(counter, begin, end));
    return energy.value / (end - begin);
  };
}

// Returns the time between two readings that are interpolated, or 0 if readings depend on each other anyway.
Nanoseconds interpolated(const Trace<Watts>& power) {
  const SensorTraits& traits = power.sensor.traits;
  return traits.response == Response::lag ? Nanoseconds() : traits.period;
}

// Returns the noise of a sensor whose readings count for a time of this variance. It is what readings within a batch,
// and those between two batches, show of it. Without two readings in a batch all is noise.
double noise_of_mean(const BatchPowers& powers, const Trace<Watts>& power, double of_weights, double of_steps) {
  const Nanoseconds period = power.sensor.traits.period;
  const std::optional<double> within = variance_within(powers, sights_of(power), period, of_weights);
  if (!within) return std::numeric_limits<double>::infinity();
  return *within + variance_by_mixtures(powers, period, of_weights, of_steps);
}

// Returns the same for a counter, which adds up and so has no noise of its own.
double noise_of_mean(const BatchPowers& powers, const Trace<Joules>& counter, double of_steps) {
  const Nanoseconds period = counter.sensor.traits.period;
  const std::optional<double> within = variance_within(powers, sights_of(counter), period, 0.0);
  return within.value_or(0.0) + variance_by_mixtures(powers, period, 0.0, of_steps);
}

// Returns the share by which phases leave the mean of the readings uncertain. Readings of a sensor with a time constant
// depend on each other, so that they show no noise.
double left_by_phases(const Phases& phases, const Trace<Watts>& power, double of_weights) {
  const SensorTraits& traits = power.sensor.traits;
  const BatchPowers powers = powers_of(phases, mean_by(power));
  if (traits.response == Response::lag) return bound_of_phases(powers, {}, interpolated(power), 1.0);
  const BatchNoise noise{.of_mean = noise_of_mean(powers, power, of_weights, 0.0)};
  return bound_of_phases(powers, noise, interpolated(power), fall_of(traits, phases.span()));
}

// Integrates the power until the last moment that the sensor has shown. The bound is the random error of its readings
// or, if batches began at phases, the error that the phases left. Readings of a sensor with a time constant depend on
// each other, so the lower of both bounds counts. All phases have the same weight only if the time ends with the last
// phase.
Result<Told> told_by_power(const Trace<Watts>& power, const BoardSensors& sensors, const RunWindow& window) {
  const bool all_phases = window.phases && !window.ended_after;
  Nanoseconds end = window.end - sensors.lag() - sensors.period();
  if (all_phases) end = std::min(end, window.phases->end());
  WATTUNE_ASSIGN(Measured<Joules> energy, integrate(power, window.begin, end));
  if (!all_phases) return Told{energy, window.begin, end, power.sensor.name};
  const Joules rounding = rounding_of(power, window.begin, end) * (end - window.begin);
  const double of_weights = variance_of_weights(power, window.begin, end);
  const Joules by_phases = energy.value * left_by_phases(*window.phases, power, of_weights) + rounding;
  const bool lags = power.sensor.traits.response == Response::lag;
  energy.uncertainty = lags ? std::min(energy.uncertainty, by_phases) : by_phases;
  return Told{energy, window.begin, end, power.sensor.name};
}

// Returns the power in the gaps between batches, which was not measured. It is the power of an idle context if this is
// known. Otherwise it is between 0 and the power of the launches.
Measured<Watts> power_in_gaps(const Told& told, const std::optional<Measured<Watts>>& context_idle) {
  const Watts half = told.energy.value / (told.end - told.begin) / 2.0;
  return context_idle.value_or(Measured<Watts>{half, half});
}

// Computes the cost of a launch. Its bound covers only the power in the gaps.
Cost cost_of(const Told& told, const RunWindow& window, const Measured<Watts>& in_gaps) {
  const double launches = window.log.launches(told.begin, told.end);
  const Nanoseconds busy = window.log.busy(told.begin, told.end);
  const Nanoseconds gaps = told.end - told.begin - busy;
  return {{(told.energy.value - in_gaps.value * gaps) / launches, in_gaps.uncertainty * gaps / launches},
          busy / launches};
}

Watts mean_power_of(const Told& told) { return told.energy.value / (told.end - told.begin); }

Joules hypotenuse(Joules one, Joules other) { return Joules(root_of_squares(one.value(), other.value())); }

// True if the counter is known to see all of the time.
bool counts_all(const SensorTraits& counter) {
  return counter.window > Nanoseconds() && counter.window >= counter.period;
}

// Returns the deviations of the publications within the time. If batches begin at phases of the counter's period, the
// counter may contain a larger part of some batches than of others.
std::vector<Deviation> deviations_of(const Trace<Joules>& counter, const Told& told, const RunWindow& window,
                                     Joules launch, Watts in_gaps) {
  std::vector<Deviation> all;
  const Result<CounterTrace> trace = CounterTrace::of(counter, told.end, std::nullopt);
  if (!trace) return all;
  for (const Publication& each : trace->publications()) {
    if (each.at.value < told.begin || each.at.value > told.end) continue;
    const Nanoseconds idle = each.at.value - told.begin - window.log.busy(told.begin, each.at.value);
    const Joules expected = launch * window.log.launches(told.begin, each.at.value) + in_gaps * idle;
    all.push_back({.at = each.at.value,
                   .off = each.counted - expected,
                   .by_moment = mean_power_of(told) * each.at.uncertainty,
                   .part = window.phases && !counts_all(counter.sensor.traits) ? window.log.begun(each.at.value) : 0});
  }
  return all;
}

// The error of a counter that may only add up what a sensor sees of each period.
struct Unseen {
  Joules by_phases;    // what the phases left
  double share = 0.0;  // how much of what the sensor misses the counter misses, at most
};

// Bounds this error. It does not include noise: neither that of a power sensor's readings, nor the scatter of the
// counter's publications. If the counter's window is unknown, its batches show whether it follows the sensor.
Unseen unseen(const RunWindow& window, const BoardSensors& sensors, const Told& told,
              const std::vector<Deviation>& deviations) {
  constexpr double kInterpolated = 4.0 / 3.0;  // variance of a moment between publications, in that of a publication
  if (!window.phases || counts_all(sensors.counter->sensor.traits)) return {};
  const BatchPowers counted = powers_of(*window.phases, mean_by(*sensors.counter));
  if (counted.shares.empty()) return {.share = 1.0};
  const SensorTraits& traits = sensors.sampling();
  const double fall = fall_of(traits, window.phases->span());
  const SensorTraits& own = sensors.counter->sensor.traits;
  const Joules of_period = mean_power_of(told) * own.period;
  if (&traits == &own) {
    constexpr double kOfDifference = 3.0;  // variance of the difference of two batches with a moment in common
    const double of_moment = noise_of(deviations) / (mean_power_of(told) * counted.time());
    const double by_moments = variance_by_moments(counted, kInterpolated * of_moment * of_moment);
    const BatchNoise noise{.elsewhere = by_moments,
                           .of_mean = noise_of_mean(counted, *sensors.counter, kOfDifference * by_moments)};
    const Joules left = told.energy.value * bound_of_phases(counted, noise, Nanoseconds(), fall);
    return {hypotenuse(left, error_of_ends(counted, by_moments) * of_period), 1.0};
  }
  const BatchPowers seen = powers_of(*window.phases, mean_by(*sensors.power));
  const double share = own.window > Nanoseconds() ? 1.0 : share_counted(seen, counted);
  const double of_weights = variance_of_weights(*sensors.power, told.begin, told.end);
  const double by_readings = traits.noise * traits.noise * (traits.period / counted.time());
  const double of_mean = noise_of_mean(seen, *sensors.power, of_weights, 2.0 * by_readings);
  const BatchNoise noise{.elsewhere = by_readings, .of_mean = std::max(0.0, of_mean - by_readings)};
  const Joules left = told.energy.value * bound_of_phases(seen, noise, interpolated(*sensors.power), fall);
  return {share * hypotenuse(left, error_of_ends(seen, by_readings) * of_period), share};
}

// Returns for how long a sensor has seen the load up to a moment. The sensor sees a part of each period, and such a
// part begins at `offset`.
Nanoseconds seen_until(Nanoseconds moment, Nanoseconds offset, Nanoseconds period, Nanoseconds seen) {
  const double periods = std::floor((moment - offset) / period);
  return periods * seen + std::min(moment - offset - periods * period, seen);
}

// Bounds the error of the time in gaps, for a sensor that sees a part of each period and takes it for the whole. It is
// unknown where in the period this part lies. The error is largest if an edge of the part coincides with an edge of a
// gap. The sum also errs by chance if readings count for longer or shorter than a period, with the variance
// `of_weights`.
Nanoseconds most_misjudged(const std::vector<LoadLog::Gap>& gaps, Nanoseconds period, Nanoseconds seen,
                           double of_weights) {
  constexpr double kDeviations = 2.5;
  const auto misjudged = [&](Nanoseconds offset) {
    Nanoseconds sum;
    double squares = 0.0;
    for (const LoadLog::Gap& gap : gaps) {
      const Nanoseconds shown = seen_until(gap.end, offset, period, seen) - seen_until(gap.begin, offset, period, seen);
      sum += shown * (period / seen) - (gap.end - gap.begin);
      squares += std::pow((shown * (period / seen)).value(), 2);
    }
    return Nanoseconds(root_of_squares(sum.value(), kDeviations * std::sqrt(of_weights * squares)));
  };
  Nanoseconds most;
  for (const LoadLog::Gap& gap : gaps)
    for (const Nanoseconds edge : {gap.begin, gap.end})
      most = std::max({most, misjudged(edge), misjudged(edge - seen)});
  return most;
}

// Bounds the energy that gaps between batches hide from a sensor that sees a part of its period. If it sees parts of a
// launch, the power beside a gap may be half above the mean.
Joules hidden_in_gaps(const RunWindow& window, const BoardSensors& sensors, const Told& told, Watts in_gaps,
                      double of_weights) {
  constexpr double kBesideGap = 1.5;
  const SensorTraits& traits = sensors.sampling();
  const Nanoseconds seen = seen_by(traits);
  if (!window.phases || traits.response == Response::lag || !(seen > Nanoseconds()) || seen >= traits.period) return {};
  const Nanoseconds misjudged = most_misjudged(window.log.gaps(told.begin, told.end), traits.period, seen, of_weights);
  const double beside = sensors.sees_parts(window.log.launch_time()) ? kBesideGap : 1.0;
  return std::max(beside * mean_power_of(told) - in_gaps, Watts()) * misjudged;
}

// Bounds the error of the counted energy. If the publications do not show it, each end may lie within a launch. If the
// power of a launch is between 0 and twice its mean, half of its energy may lie on the other side of an end. Late
// publications count half as much again, since the ends may deviate more than the most deviating of a few. If few of
// them scatter more than this, their scatter counts; between phased batches they scatter for other reasons.
Joules bound_by_counter(const BoardSensors& sensors, const Told& told, const RunWindow& window, Joules launch,
                        Watts in_gaps) {
  constexpr double kLateFactor = 1.5;
  const Nanoseconds period = sensors.counter->sensor.traits.period;
  constexpr double kLittle = 0.25;  // share of what a sensor misses that leaves a counter with one line for all batches
  std::vector<Deviation> deviations = deviations_of(*sensors.counter, told, window, launch, in_gaps);
  const Unseen missed = unseen(window, sensors, told, deviations);
  for (Deviation& each : deviations) each.part = missed.share < kLittle ? 0 : each.part;
  const std::optional<Joules> scatter =
      scatter_of(deviations, period > Nanoseconds() ? mean_power_of(told) * period / 2.0 : told.energy.value);
  const Joules late = kLateFactor * furthest_of(deviations, launch);
  const Joules largest = told.energy.uncertainty + launch + late;
  const Joules unscattered = window.phases ? largest : std::max(largest, bound_of_few(deviations));
  Joules ends = unscattered;
  if (scatter) ends = bound_of_ends(*scatter, deviations.size());
  if (scatter && !(late > Joules())) ends = std::min(ends, largest);
  const Joules hidden = missed.share * hidden_in_gaps(window, sensors, told, in_gaps, 0.0);
  return hypotenuse(hypotenuse(ends, missed.by_phases), hidden);
}

// Returns the standard deviation of the readings within the time, divided by their mean.
double spread_of_readings(const Trace<Watts>& power, const Told& told) {
  double n = 0.0, sum = 0.0, squares = 0.0;
  for (const Change<Watts>& change : power.changes) {
    if (change.at < told.begin || change.at > told.end) continue;
    n += 1.0;
    sum += change.value.value();
    squares += std::pow(change.value.value(), 2);
  }
  return n > 0.0 && sum > 0.0 ? std::sqrt(std::max(0.0, n * squares - sum * sum)) / sum : 0.0;
}

// Bounds the error of the integrated energy. Either end may lie within a launch. Readings that average several launches
// show little of a single launch. Readings that cover a part of a launch show how its power varies. Phased batches
// begin and end with a launch, but at both ends readings show a mixture of what comes before and behind.
Joules bound_by_power(const BoardSensors& sensors, const Told& told, const RunWindow& window, const Cost& cost,
                      Watts in_gaps) {
  constexpr double kMixture = 0.8;  // two standard deviations of two moments that lie anywhere in a period
  const SensorTraits& traits = sensors.power->sensor.traits;
  const Nanoseconds seen = seen_by(traits);
  const double averaged = seen > Nanoseconds() ? cost.time / seen : 1.0;
  const double spread = spread_of_readings(*sensors.power, told);
  const double of_weights = variance_of_weights(*sensors.power, told.begin, told.end);
  const Joules hidden = hidden_in_gaps(window, sensors, told, in_gaps, of_weights);
  const Joules known = hypotenuse(told.energy.uncertainty, hidden);
  if (window.phases && !window.ended_after)
    return hypotenuse(known, kMixture * spread * mean_power_of(told) * traits.period);
  return known + std::min({1.0, averaged, 2.0 * spread}) * cost.energy.value;
}

std::optional<double> disagreement(const Told& told, const BoardSensors& sensors) {
  if (sensors.counter == nullptr || sensors.power == nullptr) return std::nullopt;
  const Result<Measured<Joules>> other = integrate(*sensors.power, told.begin, told.end);
  if (!other) return std::nullopt;
  return other->value / told.energy.value - 1.0;
}

// Returns the value at that moment, from the first trace that has one; its first value if the moment is before the
// first reading.
template <typename T>
std::optional<T> at(const std::vector<Trace<T>>& traces, Nanoseconds moment) {
  const Trace<T>* const trace = first_of_board(traces);
  if (trace == nullptr || trace->changes.empty()) return std::nullopt;
  T value = trace->changes.front().value;
  for (const Change<T>& change : trace->changes)
    if (change.at <= moment) value = change.value;
  return value;
}

// The lowest and the highest temperature from the beginning of a time to its end.
struct Temperatures {
  Celsius lowest;
  Celsius highest;
};
std::optional<Temperatures> temperatures_in(const Recording& recording, Nanoseconds begin, Nanoseconds end) {
  const std::optional<Celsius> first = at(recording.temperature, begin);
  if (!first) return std::nullopt;
  Temperatures told{*first, *first};
  for (const Change<Celsius>& change : first_of_board(recording.temperature)->changes) {
    if (change.at < begin || change.at > end) continue;
    told.lowest = std::min(told.lowest, change.value);
    told.highest = std::max(told.highest, change.value);
  }
  return told;
}

std::optional<Megahertz> quantile(std::vector<Megahertz> clocks, double share) {
  if (clocks.empty()) return std::nullopt;
  std::ranges::sort(clocks);
  return clocks[static_cast<std::size_t>(share * static_cast<double>(clocks.size() - 1))];
}

BoardConditions conditions_of(const RunWindow& window, const Recording& recording) {
  BoardConditions board;
  std::vector<Megahertz> clocks;
  double readings = 0.0;
  for (const Reading<backend::Conditions>& each : recording.conditions) {
    const bool throttled = each.value.throttled.value_or(false);
    if (each.at < window.begin) board.throttled_before |= throttled;
    if (each.at > window.end) board.throttled_after |= throttled;
    if (each.at < window.begin || each.at > window.end) continue;
    if (each.value.clock) clocks.push_back(*each.value.clock);
    board.throttled += throttled ? 1.0 : 0.0;
    readings += 1.0;
  }
  if (readings > 0.0) board.throttled /= readings;
  board.clock = quantile(clocks, 0.5);
  board.lowest_clock = quantile(clocks, 0.05);
  board.temperature_before = at(recording.temperature, window.begin);
  board.temperature_after = at(recording.temperature, window.end);
  board.voltage = at(recording.voltage, window.end);
  if (const auto temperatures = temperatures_in(recording, window.begin, window.end)) {
    board.lowest_temperature = temperatures->lowest;
    board.highest_temperature = temperatures->highest;
  }
  return board;
}

// True if the temperature changed by more than a degree, which is NVML's resolution.
bool changed(Celsius lowest, Celsius highest) { return (highest - lowest).value() > 1.0; }

// Returns EnergyFigures::drift. On a straight line the end lies above the mean by as much as the mean of the second
// half lies above that of the first.
std::optional<double> drift_of(const Told& told, const BoardSensors& sensors, const BoardConditions& board) {
  if (!board.lowest_temperature || !changed(*board.lowest_temperature, *board.highest_temperature)) return std::nullopt;
  const Nanoseconds middle = (told.begin + told.end) / 2.0;
  const auto mean = [&](Nanoseconds begin, Nanoseconds end) {
    return sensors.counter != nullptr ? mean_by(*sensors.counter)(begin, end) : mean_by(*sensors.power)(begin, end);
  };
  const Result<Watts> first = mean(told.begin, middle);
  const Result<Watts> second = mean(middle, told.end);
  if (!first || !second) return std::nullopt;
  return (*second - *first) / ((*first + *second) / 2.0);
}

}  // namespace

bool is_steady(const Recording& recording, Nanoseconds time) {
  const auto told = temperatures_in(recording, recording.end - time, recording.end);
  if (!told) return true;
  return recording.end - recording.begin >= time && !changed(told->lowest, told->highest);
}

Result<WindowFigures> figures_of(const RunWindow& window, const Recording& recording, const EnergyOptions& options) {
  WATTUNE_ASSIGN(const BoardSensors sensors, BoardSensors::in(recording));
  WATTUNE_ASSIGN(const Told told, sensors.counter != nullptr ? told_by_counter(*sensors.counter, window)
                                                             : told_by_power(*sensors.power, sensors, window));
  const Measured<Watts> in_gaps = power_in_gaps(told, options.context_idle);
  Cost cost = cost_of(told, window, in_gaps);
  const Joules bound = sensors.counter != nullptr
                           ? bound_by_counter(sensors, told, window, cost.energy.value, in_gaps.value)
                           : bound_by_power(sensors, told, window, cost, in_gaps.value);
  cost.energy.uncertainty += bound / window.log.launches(told.begin, told.end);
  const BoardConditions conditions = conditions_of(window, recording);
  return WindowFigures{.cost = cost,
                       .time_error = window.log.time_error(told.begin, told.end),
                       .sensor = told.sensor,
                       .disagreement = disagreement(told, sensors),
                       .phased = window.phases.has_value(),
                       .conditions = conditions,
                       .drift = drift_of(told, sensors, conditions),
                       .ended_after = window.ended_after};
}

}  // namespace wattune::power
