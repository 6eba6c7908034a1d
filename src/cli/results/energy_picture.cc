#include "cli/results/energy_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/results/measured_kernels.h"
#include "core/interface/energy.h"
#include "report/interface/analysis.h"
#include "report/interface/energy_plot.h"

namespace wattune::cli {

namespace {

// Returns the clocks of one code. Points that the measurement itself calls held back are left out.
std::vector<search::ClockPoint> sweep_of(const ResultSet& results) {
  std::vector<search::ClockPoint> sweep;
  for (const report::AtClock& each : report::by_clock_of_one_code(results))
    if (!is_throttled(each.least->observation))
      sweep.push_back({each.clock, each.least->observation.statistics->median, *energy_of(each.least->observation)});
  return sweep;
}

std::string fit_text(const Result<tune::EnergyFit>& fit) {
  if (!fit) return "No fit: " + fit.error().to_string();
  const model::PowerFit& power = fit->power;
  return fmt::format(
      "Fit over {} clocks of one code{}: ridge {:.0f} MHz (95 %: {:.0f} to {:.0f}), least energy at {:.0f} MHz, so "
      "steered to {:.0f}..{:.0f} MHz.",
      power.samples, fit->left_out > 0 ? fmt::format(" ({} left out, held back by the board)", fit->left_out) : "",
      power.ridge.value(), power.likely_ridge.low.value(), power.likely_ridge.high.value(), fit->least.clock.value(),
      fit->steered.low.value(), fit->steered.high.value());
}

// Compares the least energy with the least time, over all configurations that have an energy.
std::string saving_text(const ResultSet& results) {
  const Trial *fastest = nullptr, *thriftiest = nullptr;
  const auto time = [](const Trial& trial) { return trial.observation.statistics->median; };
  for (const Trial* trial : counting(results.trials)) {
    const auto energy = energy_of(trial->observation);
    if (!energy) continue;
    if (fastest == nullptr || time(*trial) < time(*fastest)) fastest = trial;
    if (thriftiest == nullptr || *energy < *energy_of(thriftiest->observation)) thriftiest = trial;
  }
  if (fastest == nullptr) return {};
  const auto at = [&](const Trial& trial) {
    const auto clock = graphics_clock_of(trial.configuration, results.info.parameters);
    return clock ? fmt::format(" ({:g} MHz)", clock->value()) : std::string();
  };
  return fmt::format("Least energy{} against least time{}: slower by {:.1f} %, {:.1f} % less energy.", at(*thriftiest),
                     at(*fastest), 100.0 * (time(*thriftiest) / time(*fastest) - 1.0),
                     100.0 * (1.0 - *energy_of(thriftiest->observation) / *energy_of(fastest->observation)));
}

void add_fit(const tune::EnergyFit& fit, const std::vector<search::ClockPoint>& sweep, report::EnergyPlot& plot) {
  for (const search::ClockPoint& each : sweep) plot.fitted_to.emplace_back(each.clock.value(), each.energy.value());
  plot.fitted_to_name = "the code that is fitted";
  plot.curve.clear();
  plot.curve_name = "fit, P(f) t(f)";
  plot.likely_name = "its 95 % range";
  for (const tune::EnergyAtClock& each : fit.curve) {
    plot.curve.emplace_back(each.clock.value(), each.fitted.value());
    plot.likely.push_back({each.clock.value(), each.low.value(), each.high.value()});
  }
  plot.ridge = fit.power.ridge.value();
  const auto band = [](const char* name, Megahertz low, Megahertz high) {
    return report::EnergyPlot::Band{fmt::format("{}, {:.0f} to {:.0f}", name, low.value(), high.value()), low.value(),
                                    high.value()};
  };
  plot.bands = {band("steered range", fit.steered.low, fit.steered.high),
                band("likely ridge", fit.power.likely_ridge.low, fit.power.likely_ridge.high)};
}

}  // namespace

Result<tune::EnergyFit> fit_of(const ResultSet& results) {
  const std::vector<search::ClockPoint> sweep = sweep_of(results);
  const std::size_t throttled = report::by_clock_of_one_code(results).size() - sweep.size();
  if (sweep.empty() && throttled > 0)
    return Error(ErrorCode::invalid_argument, "power or heat held the clock down at each of its clocks");
  WATTUNE_ASSIGN(tune::EnergyFit fit, tune::fit_energy(sweep));
  fit.left_out += throttled;
  return fit;
}

std::vector<std::string> describe_energy(const ResultSet& results) {
  if (report::by_clock_of_one_code(results).empty()) return {};
  return {fit_text(fit_of(results)), saving_text(results)};
}

std::string draw_energy(const ResultSet& results) {
  report::EnergyPlot plot = report::energy_plot_of(results);
  if (plot.measured.empty()) return {};
  if (const auto fit = fit_of(results)) add_fit(*fit, sweep_of(results), plot);
  const std::vector<std::string> lines = describe_energy(results);
  plot.notes.insert(plot.notes.begin(), lines.begin(), lines.end());
  return report::plot_energy_svg(plot);
}

Json fit_json(const ResultSet& results) {
  const auto fit = fit_of(results);
  if (!fit) return nullptr;
  const auto range = [](Megahertz low, Megahertz high) { return Json::array({low.value(), high.value()}); };
  return {{"clocks", fit->power.samples},
          {"left_out", fit->left_out},
          {"ridge_mhz", fit->power.ridge.value()},
          {"likely_ridge_mhz", range(fit->power.likely_ridge.low, fit->power.likely_ridge.high)},
          {"least_mhz", fit->least.clock.value()},
          {"steered_mhz", range(fit->steered.low, fit->steered.high)},
          {"rmse_w", fit->power.rmse.value()}};
}

}  // namespace wattune::cli
