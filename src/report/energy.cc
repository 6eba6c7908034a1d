#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/interface/energy.h"
#include "core/interface/value_hash.h"
#include "report/interface/analysis.h"
#include "report/interface/energy_plot.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"

namespace wattune::inline v0_1::report {

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

const Trial* least_energy(const std::vector<const Trial*>& trials) {
  return *std::ranges::min_element(trials, {}, [](const Trial* trial) { return *energy_of(trial->observation); });
}

std::vector<AtClock> by_clock(const std::vector<const Trial*>& all, const std::vector<Parameter>& parameters) {
  std::map<Megahertz, std::vector<const Trial*>> trials;
  for (const Trial* trial : all) {
    const auto clock = graphics_clock_of(trial->configuration, parameters);
    if (clock && energy_of(trial->observation)) trials[*clock].push_back(trial);
  }
  std::vector<AtClock> clocks;
  for (const auto& [clock, its] : trials) clocks.push_back({clock, least_energy(its), median_temperature(its)});
  return clocks;
}

// Returns the rank of a code (the configurations that differ only in the clock). The rank is smaller for a code that
// ran at more clocks, and among such codes for less energy. Precondition: each clock was recorded once.
std::pair<std::ptrdiff_t, Joules> rank_of_code(const std::vector<const Trial*>& its) {
  return {-std::ssize(its), *energy_of(least_energy(its)->observation)};
}

}  // namespace

std::vector<AtClock> by_clock(const ResultSet& results) { return by_clock(ranked(results), results.info.parameters); }

std::vector<AtClock> by_clock_of_one_code(const ResultSet& results) {
  const auto clock = std::ranges::find(results.info.parameters, ParameterRole::graphics_clock, &Parameter::role);
  std::unordered_map<std::vector<Value>, std::vector<const Trial*>, ValueHash> codes;
  for (const Trial* trial : ranked(results)) {
    if (!graphics_clock_of(trial->configuration, results.info.parameters) || !energy_of(trial->observation)) continue;
    std::vector<Value> code = trial->configuration.values();
    code.erase(code.begin() + (clock - results.info.parameters.begin()));
    codes[code].push_back(trial);
  }
  const std::vector<const Trial*>* most = nullptr;
  for (const auto& [code, its] : codes)
    if (most == nullptr || rank_of_code(its) < rank_of_code(*most)) most = &its;
  return most == nullptr ? std::vector<AtClock>() : by_clock(*most, results.info.parameters);
}

EnergyPlot energy_plot_of(const ResultSet& results) {
  constexpr double kFarFactor = 1.5;  // energies above this multiple of the largest least energy are left out
  EnergyPlot plot{.title = name_of(results.info), .curve_name = "least at each clock"};
  double most = 0.0;
  for (const AtClock& each : by_clock(results)) {
    plot.curve.emplace_back(each.clock.value(), energy_of(each.least->observation)->value());
    most = std::max(most, kFarFactor * plot.curve.back().second);
  }
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
  const bool simulated = results.info.device.kind == DeviceKind::simulated;
  plot.origin = simulated ? "a configuration, replayed" : "a configuration, measured";
  if (far > 0)
    plot.notes.push_back(
        fmt::format("{} configurations that take more than {} times the least of any "
                    "clock are not drawn.",
                    far, kFarFactor));
  return plot;
}

}  // namespace wattune::report
