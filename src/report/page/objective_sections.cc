#include <fmt/format.h>

#include <algorithm>

#include "core/interface/energy.h"
#include "core/interface/pareto.h"
#include "core/interface/wording.h"
#include "report/interface/analysis.h"
#include "report/interface/energy_plot.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::size_t kMostFrontRows = 200;  // most rows in the table of a front

// Sets time and energy as the objectives, if the search had fewer than two.
ResultSet with_two_of_them(ResultSet results) {
  if (results.info.objectives.size() < 2) results.info.objectives = {{"time"}, {"energy"}};
  return results;
}

std::string value_text(const Observation& observation, const std::string& metric) {
  const std::optional<double> value = value_of(observation, metric);
  if (!value) return {};
  return metric == "time" ? time_text(nanoseconds_from_seconds(*value)) : fmt::format("{:.6g}", *value);
}

PageTable front_table(const ResultSet& results, const std::vector<const Trial*>& front) {
  PageTable table;
  for (const Objective& objective : results.info.objectives) table.columns.push_back({.title = objective.metric});
  table.columns.push_back({.title = "configuration", .is_number = false});
  for (std::size_t i = 0; i < std::min(front.size(), kMostFrontRows); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Objective& objective : results.info.objectives)
      row.push_back(value_text(front[i]->observation, objective.metric));
    row.push_back(front[i]->configuration.to_string());
  }
  return table;
}

const Trial* least_energy_of(const TuningRun& run) {
  const Trial* least = nullptr;
  for (const Trial* trial : run.ranked) {
    const auto energy = energy_of(trial->observation);
    if (energy && (least == nullptr || *energy < *energy_of(least->observation))) least = trial;
  }
  return least;
}

const Trial* fastest_with_energy(const TuningRun& run) {
  const Trial* fastest = nullptr;
  for (const Trial* trial : run.ranked)
    if (energy_of(trial->observation) && (fastest == nullptr || time_of(*trial) < time_of(*fastest))) fastest = trial;
  return fastest;
}

std::string joules_text(const Trial& trial) {
  return fmt::format("{:.4g} J", energy_of(trial.observation).value_or(Joules()).value());
}

void add_extremes(const TuningRun& run, PageSection& section) {
  const Trial& fastest = *fastest_with_energy(run);
  const Trial& least = *least_energy_of(run);
  PageTable table = PageTable::of(1, {"configuration with", "time", "energy", "power", "clock (MHz)"});
  for (const auto& [name, trial] : {std::pair{"the least time", &fastest}, {"the least energy", &least}}) {
    const auto power = power_of(trial->observation);
    const auto clock = graphics_clock_of(trial->configuration, run.results.info.parameters);
    table.rows.push_back({name, time_text(time_of(*trial)), joules_text(*trial),
                          power ? fmt::format("{:.4g} W", power->value()) : "",
                          clock ? fmt::format("{:g}", clock->value()) : ""});
  }
  section.add_table("The least time and the least energy", table);
  if (&fastest == &least) {
    section.add_words("The fastest configuration also takes the least energy.");
    return;
  }
  section.add_words(fmt::format(
      "The configuration of the least energy is {:.1f} % slower and takes {:.1f} % less energy than the fastest.",
      100.0 * (time_of(least) / time_of(fastest) - 1.0),
      100.0 * (1.0 - *energy_of(least.observation) / *energy_of(fastest.observation))));
}

void add_clocks(const TuningRun& run, PageSection& section) {
  const std::vector<AtClock> clocks = by_clock(run.results);
  if (clocks.empty()) return;
  PageTable table = PageTable::of(0, {"clock (MHz)", "least energy", "its time", "temperature (°C)"});
  for (const AtClock& each : clocks)
    table.rows.push_back({fmt::format("{:g}", each.clock.value()), joules_text(*each.least),
                          time_text(time_of(*each.least)),
                          each.temperature ? fmt::format("{:.1f}", each.temperature->value()) : ""});
  section.add_picture(plot_energy_svg(energy_plot_of(run.results)),
                      "The energy of each configuration at its graphics clock, and the least at each clock", table);
}

}  // namespace

std::optional<PageSection> pareto_section(const TuningRun& run) {
  const ResultSet results = with_two_of_them(run.results);
  const std::vector<const Trial*> front = pareto_front(results);
  if (front.empty()) return std::nullopt;
  PageSection section("pareto", "Pareto front");
  section.add_words(fmt::format("The front has {}. No other is at least as good in all objectives and better in one.",
                                counted(front.size(), "configuration")));
  section.add_picture(plot_pareto_svg(results), "All configurations by two objectives, and the front",
                      front_table(results, front));
  if (front.size() > kMostFrontRows)
    section.add_words(fmt::format("The table has the first {} of the front.", kMostFrontRows));
  return section;
}

std::optional<PageSection> energy_section(const TuningRun& run) {
  if (least_energy_of(run) == nullptr) return std::nullopt;
  PageSection section("energy", "Clocks and joules");
  add_extremes(run, section);
  add_clocks(run, section);
  return section;
}

}  // namespace wattune::report
