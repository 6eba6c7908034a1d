#include "power/window_figures.h"

#include <algorithm>
#include <cmath>

#include "power/board_sensors.h"
#include "power/counter_trace.h"
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
  WATTUNE_ASSIGN(const CountedSpan span, between_publications(counter, window.begin, window.end));
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

// Integrates the power until the last moment that the sensor has shown. The bound is the chance of its readings or, if
// batches began at phases, the error that these left.
Result<Told> told_by_power(const Trace<Watts>& power, const BoardSensors& sensors, const RunWindow& window) {
  const Nanoseconds end = window.end - sensors.lag() - sensors.period();
  WATTUNE_ASSIGN(Measured<Joules> energy, integrate(power, window.begin, end));
  const Joules rounding = resolution_of(power) / 2.0 * (end - window.begin);
  if (window.phases && !window.ended_after)
    energy.uncertainty = std::min(energy.uncertainty, energy.value * window.phases->bound(mean_by(power)) + rounding);
  return Told{energy, window.begin, end, power.sensor.name};
}

// Returns the power in the gaps between batches, which was not measured. It is that of an idle context, if known, else
// between 0 and the power of the launches.
Measured<Watts> power_in_gaps(const Told& told, const std::optional<Measured<Watts>>& context_idle) {
  const Watts half = told.energy.value / (told.end - told.begin) / 2.0;
  return context_idle.value_or(Measured<Watts>{half, half});
}

// Computes the cost of a launch. Each end of the time may lie within a launch, whose power may vary. If the power is
// between 0 and twice its mean, half a launch's energy may lie on the other side of an end.
Cost cost_of(const Told& told, const RunWindow& window, const Measured<Watts>& in_gaps) {
  const double launches = window.log.launches(told.begin, told.end);
  const Nanoseconds busy = window.log.busy(told.begin, told.end);
  const Nanoseconds gaps = told.end - told.begin - busy;
  const Joules energy = (told.energy.value - in_gaps.value * gaps) / launches;
  const Joules ends = 2.0 * (energy / 2.0) / launches;
  return {{energy, (told.energy.uncertainty + in_gaps.uncertainty * gaps) / launches + ends}, busy / launches};
}

// Returns the error that phases left. It is for a counter that may add up what a sensor sees in a part of its period.
Joules unseen(const RunWindow& window, const BoardSensors& sensors, Joules energy) {
  const SensorTraits& counter = sensors.counter->sensor.traits;
  const bool counts_all = counter.window > Nanoseconds() && counter.window >= counter.period;
  if (!window.phases || counts_all) return {};
  return energy * (sensors.power != nullptr ? window.phases->bound(mean_by(*sensors.power))
                                            : window.phases->bound(mean_by(*sensors.counter)));
}

Joules distance(Joules a, Joules b) { return Joules(std::abs((a - b).value())); }

// Returns by how much publications of a counter deviate from their neighbours, per launch. The uncertainty of their
// moments, and of the launch in which they lie, does not count. Such publications came late or were left out. The
// publications at the ends may be off as much.
Joules stray(const Trace<Joules>& counter, const Told& told, const RunWindow& window, const Cost& cost, Watts in_gaps) {
  const Result<CounterTrace> trace = CounterTrace::of(counter, told.end, std::nullopt);
  if (!trace) return {};
  const Watts power = told.energy.value / (told.end - told.begin);
  std::vector<Measured<Joules>> off;  // deviation of each from the count if all launches took the same energy
  for (const Publication& each : trace->publications()) {
    if (each.at.value < told.begin || each.at.value > told.end) continue;
    const Nanoseconds idle = each.at.value - told.begin - window.log.busy(told.begin, each.at.value);
    const Joules expected = cost.energy.value * window.log.launches(told.begin, each.at.value) + in_gaps * idle;
    off.push_back({each.counted - expected, power * each.at.uncertainty});
  }
  // The ends may deviate more than the most deviating of a few publications.
  constexpr double kEndUncertaintyFactor = 1.5;
  Joules furthest;
  for (std::size_t i = 1; i + 1 < off.size(); ++i) {
    const Joules between = (off[i - 1].value + off[i + 1].value) / 2.0;
    const Joules known = off[i].uncertainty + (off[i - 1].uncertainty + off[i + 1].uncertainty) / 2.0;
    furthest = std::max(furthest, distance(off[i].value, between) - known - cost.energy.value / 2.0);
  }
  return kEndUncertaintyFactor * furthest / window.log.launches(told.begin, told.end);
}

std::optional<double> disagreement(const Told& told, const BoardSensors& sensors) {
  if (sensors.counter == nullptr || sensors.power == nullptr) return std::nullopt;
  const Result<Measured<Joules>> other = integrate(*sensors.power, told.begin, told.end);
  if (!other) return std::nullopt;
  return other->value / told.energy.value - 1.0;
}

// Returns the value at that moment, from the first trace that has one; its first value if nothing was read before.
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
  if (sensors.counter != nullptr)
    cost.energy.uncertainty +=
        unseen(window, sensors, cost.energy.value) + stray(*sensors.counter, told, window, cost, in_gaps.value);
  const BoardConditions conditions = conditions_of(window, recording);
  return WindowFigures{.cost = cost,
                       .sensor = told.sensor,
                       .disagreement = disagreement(told, sensors),
                       .phased = window.phases.has_value(),
                       .conditions = conditions,
                       .drift = drift_of(told, sensors, conditions),
                       .ended_after = window.ended_after};
}

}  // namespace wattune::power
