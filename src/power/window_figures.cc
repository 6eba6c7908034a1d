#include "power/window_figures.h"

#include <algorithm>
#include <cmath>

#include "power/board_sensors.h"

namespace wattune::power {

namespace {

// The energy of a time within the window, at best from one publication of the counter to another.
struct Told {
  Measured<Joules> energy;
  Nanoseconds begin;
  Nanoseconds end;
  std::string sensor;
};

Result<Told> told_by_counter(const Trace<Joules>& counter, const RunWindow& window) {
  WATTUNE_ASSIGN(const CountedSpan span, between_publications(counter, window.begin, window.end));
  // What is not known is the time; the launches in it are proportional to that.
  const Joules unknown = span.power().value * span.time_uncertainty();
  return Told{{span.energy, unknown}, span.begin.value, span.end.value, counter.sensor.name};
}

// Until when the sensor has told of the window.
Result<Told> told_by_power(const Trace<Watts>& power, const BoardSensors& sensors, const RunWindow& window) {
  const Nanoseconds end = window.end - sensors.lag() - sensors.period();
  WATTUNE_ASSIGN(const Measured<Joules> energy, integrate(power, window.begin, end));
  return Told{energy, window.begin, end, power.sensor.name};
}

// Of the time between batches, of which nobody measured the power: what the context draws, or else something between
// nothing and what the launches draw.
Measured<Joules> energy_of_gaps(const Told& told, Nanoseconds gaps, std::optional<Watts> context_idle) {
  if (context_idle) return {*context_idle * gaps, Joules()};
  const Watts half = told.energy.value / (told.end - told.begin) / 2.0;
  return {half * gaps, half * gaps};
}

// Either end may lie anywhere in a launch, whose power need not be the same from its begin to its end: with a power
// between nothing and twice the mean, half a launch's energy may belong to its other side.
Cost cost_of(const Told& told, const RunWindow& window, std::optional<Watts> context_idle) {
  const double launches = window.log.launches(told.begin, told.end);
  const Nanoseconds busy = window.log.busy(told.begin, told.end);
  const Measured<Joules> gaps = energy_of_gaps(told, told.end - told.begin - busy, context_idle);
  const Joules energy = (told.energy.value - gaps.value) / launches;
  const Joules ends = 2.0 * (energy / 2.0) / launches;
  return {{energy, (told.energy.uncertainty + gaps.uncertainty) / launches + ends}, busy / launches};
}

// The rest of what is not known: of a sensor that sees a part of its period, what the phases left; a counter may be the
// sum of what such a sensor sees.
Joules unseen(const RunWindow& window, const BoardSensors& sensors, Joules energy) {
  const bool counts_all = sensors.counter != nullptr && sensors.counter->sensor.traits.window > Nanoseconds() &&
                          sensors.counter->sensor.traits.window >= sensors.counter->sensor.traits.period;
  if (!window.phases || sensors.power == nullptr || counts_all) return {};
  return energy * window.phases->bound(*sensors.power);
}

std::optional<double> disagreement(const Told& told, const BoardSensors& sensors) {
  if (sensors.counter == nullptr || sensors.power == nullptr) return std::nullopt;
  const Result<Measured<Joules>> other = integrate(*sensors.power, told.begin, told.end);
  if (!other) return std::nullopt;
  return other->value / told.energy.value - 1.0;
}

// What stood at that moment; the first that was seen, where nothing was before.
template <typename T>
std::optional<T> at(const std::vector<Trace<T>>& traces, Nanoseconds moment) {
  const Trace<T>* const trace = first_of_board(traces);
  if (trace == nullptr || trace->changes.empty()) return std::nullopt;
  T value = trace->changes.front().value;
  for (const Change<T>& change : trace->changes)
    if (change.at <= moment) value = change.value;
  return value;
}

// From its beginning to its end.
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

}  // namespace

bool is_steady(const Recording& recording, Nanoseconds time) {
  constexpr double kDegree = 1.0;
  const auto told = temperatures_in(recording, recording.end - time, recording.end);
  if (!told) return true;
  return recording.end - recording.begin >= time && (told->highest - told->lowest).value() <= kDegree;
}

Result<WindowFigures> figures_of(const RunWindow& window, const Recording& recording, const EnergyOptions& options) {
  WATTUNE_ASSIGN(const BoardSensors sensors, BoardSensors::in(recording));
  WATTUNE_ASSIGN(const Told told, sensors.counter != nullptr ? told_by_counter(*sensors.counter, window)
                                                             : told_by_power(*sensors.power, sensors, window));
  Cost cost = cost_of(told, window, options.context_idle);
  cost.energy.uncertainty += unseen(window, sensors, cost.energy.value);
  return WindowFigures{.cost = cost,
                       .sensor = told.sensor,
                       .disagreement = disagreement(told, sensors),
                       .phased = window.phases.has_value(),
                       .conditions = conditions_of(window, recording),
                       .ended_after = window.ended_after};
}

}  // namespace wattune::power
