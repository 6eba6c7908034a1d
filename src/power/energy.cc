#include "wattune/power/energy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "power/window.h"

namespace wattune::power {

namespace {

constexpr double kLargestDisagreement = 0.03;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

// Half of the 95 % interval of the median, as a share: 1.96 standard errors, where that of a median is 1.253 times a
// mean's and a standard deviation is 1.483 median absolute deviations. 0 below three windows, which tell nothing.
double spread_of(const std::vector<WindowFigures>& windows) {
  if (windows.size() < 3) return 0.0;
  std::vector<double> energies;
  for (const WindowFigures& each : windows) energies.push_back(each.cost.energy.value.value());
  const double middle = median(energies);
  for (double& each : energies) each = std::abs(each - middle);
  return 1.96 * 1.253 * 1.483 * median(energies) / std::sqrt(static_cast<double>(windows.size())) / middle;
}

// Windows until they agree, or there is no time for another.
Result<std::vector<WindowFigures>> measure_windows(Recorder& recorder, const RunBatch& run,
                                                   const EnergyOptions& options) {
  const Nanoseconds begin = recorder.now();
  std::vector<WindowFigures> windows;
  while (windows.size() < std::max<std::size_t>(options.windows, 1)) {
    WATTUNE_ASSIGN(windows.emplace_back(), measure_window(recorder, run, options));
    const Nanoseconds spent = recorder.now() - begin;
    const bool agree = windows.size() >= 3 && spread_of(windows) <= options.precision;
    if (agree || spent + spent / static_cast<double>(windows.size()) > options.budget) break;
  }
  return windows;
}

// The window in the middle by its energy; of an even number the lower one.
const WindowFigures& middle_of(std::vector<WindowFigures>& windows) {
  std::ranges::sort(windows, {}, [](const WindowFigures& each) { return each.cost.energy.value; });
  return windows[(windows.size() - 1) / 2];
}

EnergyFigures figures_of(std::vector<WindowFigures> windows) {
  EnergyFigures figures{
      .windows = windows.size(), .spread = spread_of(windows), .conditions = windows.back().conditions};
  const WindowFigures& middle = middle_of(windows);
  figures.energy = middle.cost.energy;
  figures.energy.uncertainty = std::max(figures.energy.uncertainty, figures.energy.value * figures.spread);
  figures.time = middle.cost.time;
  figures.sensor = middle.sensor;
  figures.disagreement = middle.disagreement;
  figures.phased = middle.phased;
  return figures;
}

// What a launch takes beyond its set-up; where nothing is left, the set-up cannot be told from it.
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

// What follows from energy and time.
void complete(EnergyFigures& figures, const EnergyOptions& options) {
  figures.power = {figures.energy.value / figures.time, figures.energy.uncertainty / figures.time};
  if (options.context_idle)
    figures.dynamic = {figures.energy.value - *options.context_idle * figures.time, figures.energy.uncertainty};
}

}  // namespace

Result<Measured<Watts>> measure_idle(Recorder& recorder) {
  const auto wait = [&](std::size_t times) -> Result<Load::Batch> {
    const Nanoseconds begin = recorder.now();
    recorder.wait(static_cast<double>(times) * nanoseconds_from_ms(1));
    return Load::Batch{times, begin, recorder.now()};
  };
  WATTUNE_ASSIGN(const WindowFigures window, measure_window(recorder, wait, {.window = kScreening}));
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
  const auto run = [&](std::size_t launches) { return load.run(launches); };
  WATTUNE_ASSIGN(std::vector<WindowFigures> windows, measure_windows(recorder, run, options));
  EnergyFigures figures = figures_of(std::move(windows));
  figures.set_up = load.set_up();
  if (figures.set_up == SetUp::subtracted) {
    WATTUNE_ASSIGN(const Cost set_up, cost_of_set_up(recorder, load, options));
    subtract(figures, set_up);
  }
  complete(figures, options);
  figures.took = recorder.now() - begin;
  return figures;
}

}  // namespace wattune::power
