#include <algorithm>
#include <map>

#include "report/trials.h"
#include "wattune/core/energy.h"
#include "wattune/report/analysis.h"

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

}  // namespace wattune::report
