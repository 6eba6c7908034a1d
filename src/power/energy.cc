#include "wattune/power/energy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/root_of_squares.h"
#include "power/window_series.h"

namespace wattune::inline v0_1::power {

namespace {

constexpr double kLargestDisagreement = 0.03;

// Returns the window with the median energy; the lower one of the two in the middle if the number of windows is even.
const WindowFigures& middle_of(std::vector<WindowFigures>& windows) {
  std::ranges::sort(windows, {}, [](const WindowFigures& each) { return each.cost.energy.value; });
  return windows[(windows.size() - 1) / 2];
}

// Returns the conditions of the last window, but with the range of the temperatures of all windows.
BoardConditions conditions_over(const std::vector<WindowFigures>& windows) {
  BoardConditions board = windows.back().conditions;
  if (!board.lowest_temperature) return board;
  for (const WindowFigures& each : windows) {
    const BoardConditions& other = each.conditions;
    board.lowest_temperature =
        std::min(*board.lowest_temperature, other.lowest_temperature.value_or(*board.lowest_temperature));
    board.highest_temperature =
        std::max(*board.highest_temperature, other.highest_temperature.value_or(*board.highest_temperature));
  }
  return board;
}

EnergyFigures figures_of(const WindowSeries& series) {
  std::vector<WindowFigures> windows = series.windows();
  EnergyFigures figures{.windows = windows.size(),
                        .spread = spread_of(windows),
                        .conditions = conditions_over(windows),
                        .rejected = series.rejected(),
                        .drift = windows.back().drift,
                        .ended_after = windows.back().ended_after};
  const WindowFigures& middle = middle_of(windows);
  figures.energy = middle.cost.energy;
  figures.energy.uncertainty =
      std::max(figures.energy.uncertainty, figures.energy.value * figures.spread.value_or(0.0));
  figures.time = middle.cost.time;
  figures.sensor = middle.sensor;
  figures.disagreement = middle.disagreement;
  figures.phased = middle.phased;
  return figures;
}

// Subtracts the set-up. If nothing remains, the set-up cannot be measured apart from the launch, and counts as
// included.
void subtract(EnergyFigures& figures, const Cost& set_up) {
  figures.set_up_cost = set_up;
  const Joules energy = figures.energy.value - set_up.energy.value;
  const Nanoseconds time = figures.time - set_up.time;
  const bool something_is_left = energy > Joules() && time > Nanoseconds();
  figures.set_up = something_is_left ? SetUp::subtracted : SetUp::included;
  if (!something_is_left) return;
  figures.energy = {energy, figures.energy.uncertainty + set_up.energy.uncertainty};
  figures.time = time;
}

Result<Cost> cost_of_set_up(Recorder& recorder, Load& load, EnergyOptions options) {
  if (options.set_up) return *options.set_up;
  options.windows = 1;
  const auto run = [&](std::size_t launches) { return load.run_set_up(launches); };
  WATTUNE_ASSIGN(const WindowFigures window, measure_window(recorder, run, options));
  return window.cost;
}

Watts distance(Watts a, Watts b) { return Watts(std::abs((a - b).value())); }

// Adds the bounds of two errors that are independent. The root of the sum of squares would be too little for errors
// that may be anywhere up to their bounds, and the sum is too much.
Joules independent(Joules one, Joules other) {
  const double a = one.value(), b = other.value();
  return Joules(std::sqrt(a * a + b * b + a * b));
}

// Fills in power and dynamic energy. If a launch took longer than its known time, either the board idled in a gap, or
// the launch was slower. The dynamic energy is the same in both cases.
void complete(EnergyFigures& figures, const EnergyOptions& options) {
  figures.power = {figures.energy.value / figures.time, figures.energy.uncertainty / figures.time};
  if (!options.context_idle) return;
  const Measured<Watts>& idle = *options.context_idle;
  figures.dynamic = {figures.energy.value - idle.value * figures.time,
                     independent(figures.energy.uncertainty, idle.uncertainty * figures.time)};
}

// Divides the extra time of launches, which took longer in the window than when they were timed. The extra time is a
// gap if the device waited for the next launch. It belongs to the launch if the launch was slower than before, for
// instance because the clock fell. It is unknown which case holds, so the figures are the middle of both cases, and
// their bounds include both.
//
// In a gap the board draws the context's power if this is known; otherwise some power up to that of the launches. The
// time is not divided if the clock was held down, because launches then take longer. It is not divided, either, if the
// set-up is included, because its time is unknown.
void share_gap(EnergyFigures& figures, const EnergyOptions& options) {
  if (!options.launch_time || figures.set_up == SetUp::included || figures.conditions.throttled > 0.0) return;
  const Nanoseconds gap = figures.time - *options.launch_time;
  if (gap <= Nanoseconds()) return;
  const Watts half = figures.power.value / 2.0;
  const Measured<Watts> idle = options.context_idle.value_or(Measured<Watts>{half, half});
  const Joules least = figures.energy.value - idle.value * gap;
  const Joules not_known = figures.energy.uncertainty + idle.uncertainty * gap;
  const Watts of_launch = least / *options.launch_time;
  figures.gap = Cost{{idle.value * gap / 2.0, idle.value * gap / 2.0 + idle.uncertainty * gap}, gap};
  figures.energy = {figures.energy.value - figures.gap->energy.value, not_known + idle.value * gap / 2.0};
  figures.power = {(figures.power.value + of_launch) / 2.0,
                   not_known / *options.launch_time + distance(figures.power.value, of_launch) / 2.0};
  figures.time -= gap / 2.0;
}

// Widens the bounds of the energies by the differences between launches, since the launches that ran are only a sample.
// Takes 2.2 standard errors.
void add_sampling_error(EnergyFigures& figures, double time_error) {
  constexpr double kDeviations = 2.2;
  const auto widen = [&](Measured<Joules>& each) {
    each.uncertainty = Joules(root_of_squares(each.uncertainty.value(), kDeviations * time_error * each.value.value()));
  };
  widen(figures.energy);
  if (figures.dynamic) widen(*figures.dynamic);
}

// Returns a function that tells from the first part of a window whether a launch takes more energy than
// EnergyOptions::most_energy. Returns an empty function if that is not set or cannot be decided.
IsEnough takes_too_much(SetUp set_up, const EnergyOptions& options) {
  if (!options.most_energy || (set_up == SetUp::subtracted && !options.set_up)) return {};
  return [set_up, &options](const WindowFigures& window) {
    EnergyFigures figures{
        .energy = window.cost.energy, .time = window.cost.time, .set_up = set_up, .conditions = window.conditions};
    if (set_up == SetUp::subtracted) subtract(figures, *options.set_up);
    complete(figures, options);
    share_gap(figures, options);
    return figures.energy.value - figures.energy.uncertainty > *options.most_energy;
  };
}

}  // namespace

Result<Measured<Watts>> measure_idle(Recorder& recorder) {
  // The parts of the wait are so short that no sensor can tell one from another, so that no phases are needed.
  constexpr Nanoseconds kPart{100.0};
  const auto wait = [&](std::size_t times) -> Result<Load::Batch> {
    const Nanoseconds begin = recorder.now();
    recorder.wait(static_cast<double>(times) * kPart);
    return Load::Batch{times, begin, recorder.now()};
  };
  WATTUNE_ASSIGN(const WindowFigures window, measure_window(recorder, wait, {.window = kScreeningWindow}));
  const Cost& cost = window.cost;
  return Measured<Watts>{cost.energy.value / cost.time, cost.energy.uncertainty / cost.time};
}

const char* to_string(SetUp set_up) {
  switch (set_up) {
    case SetUp::none: return "none";
    case SetUp::subtracted: return "subtracted";
    case SetUp::included: return "included";
  }
  return "unknown";
}

bool EnergyFigures::disagrees() const { return disagreement && std::abs(*disagreement) > kLargestDisagreement; }

Result<EnergyFigures> measure(Recorder& recorder, Load& load, const EnergyOptions& options) {
  const Nanoseconds begin = recorder.now();
  const RunBatch run = [&](std::size_t launches) { return load.run(launches); };
  const IsEnough is_enough = takes_too_much(load.set_up(), options);
  WindowSeries series(recorder, run, options, is_enough);
  WATTUNE_TRY(series.measure());
  EnergyFigures figures = figures_of(series);
  figures.set_up = load.set_up();
  if (figures.set_up == SetUp::subtracted) {
    WATTUNE_ASSIGN(const Cost set_up, cost_of_set_up(recorder, load, options));
    subtract(figures, set_up);
  }
  complete(figures, options);
  share_gap(figures, options);
  std::vector<WindowFigures> windows = series.windows();
  add_sampling_error(figures, middle_of(windows).time_error);
  figures.took = recorder.now() - begin;
  return figures;
}

}  // namespace wattune::power
