#include <algorithm>
#include <map>

#include "report/text.h"
#include "report/trials.h"
#include "wattune/core/energy.h"
#include "wattune/report/analysis.h"
#include "wattune/report/energy_plot.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

std::optional<Celsius> median_temperature(const std::vector<const Trial*>& trials) {
  std::vector<double> temperatures;
  for (const Trial* trial : trials)
    for (const Metric& metric : trial->observation.metrics)
      if (metric.name == "temperature") temperatures.push_back(metric.value);
  if (temperatures.empty()) return std::nullopt;
  const auto middle = temperatures.begin() + static_cast<std::ptrdiff_t>(temperatures.size() / 2);
  std::ranges::nth_element(temperatures, middle);
  return Celsius(*middle);
}

}  // namespace

std::vector<AtClock> by_clock(const ResultSet& results) {
  std::map<Megahertz, std::vector<const Trial*>> trials;
  for (const Trial* trial : ranked(results)) {
    const auto clock = graphics_clock_of(trial->configuration, results.info.parameters);
    if (clock && energy_of(trial->observation)) trials[*clock].push_back(trial);
  }
  std::vector<AtClock> clocks;
  for (const auto& [clock, its] : trials) {
    const auto least =
        std::ranges::min_element(its, {}, [](const Trial* trial) { return *energy_of(trial->observation); });
    clocks.push_back({clock, *least, median_temperature(its)});
  }
  return clocks;
}

std::string plot_energy_svg(const ResultSet& results) {
  constexpr double kFar = 1.5;  // times the largest of the least: what takes more would make the rest small
  EnergyPlot plot{.title = name_of(results.info) + ": energy against clock", .curve_name = "least at each clock"};
  double most = 0.0;
  for (const AtClock& each : by_clock(results)) {
    plot.curve.emplace_back(each.clock.value(), energy_of(each.least->observation)->value());
    most = std::max(most, kFar * plot.curve.back().second);
  }
  if (plot.curve.empty()) return {};
  std::size_t far = 0;
  for (const Trial* trial : ranked(results)) {
    const auto clock = graphics_clock_of(trial->configuration, results.info.parameters);
    const auto energy = energy_of(trial->observation);
    if (!clock || !energy) continue;
    if (energy->value() > most)
      ++far;
    else
      plot.measured.emplace_back(clock->value(), energy->value());
  }
  plot.origin = "a configuration";
  if (far > 0) plot.origin += fmt::format(" ({} that take more than {} times as much are not drawn)", far, kFar);
  return plot_energy_svg(plot);
}

}  // namespace wattune::report
