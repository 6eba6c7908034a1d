#include "cli/results/analyze_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/text.h"
#include "cli/results/energy_picture.h"
#include "cli/results/measured_kernels.h"
#include "core/interface/energy.h"
#include "report/interface/text.h"

namespace wattune::cli {

namespace {

using tune::MethodOutcome;

// Bounds the differences of temperature between clocks that need no note. A warmer board leaks more: it draws some 0.3
// % more power for each degree.
constexpr Celsius kNotableDrift(5.0);

std::string why_no_clocks(const std::vector<Parameter>& parameters) {
  const std::vector<Megahertz> clocks = tune::graphics_clocks(parameters);
  if (clocks.size() > 1) return {};
  return clocks.empty() ? "methods that change clocks are left out: no parameter is a graphics clock"
                        : fmt::format("methods that change clocks are left out: the only graphics clock is {:g} MHz",
                                      clocks.front().value());
}

// Groups the outcomes. Base clocks that lead to the same choice share a row.
std::vector<std::vector<const MethodOutcome*>> rows_of(const std::vector<MethodOutcome>& outcomes) {
  std::vector<std::vector<const MethodOutcome*>> rows;
  for (const MethodOutcome& outcome : outcomes) {
    const auto same = std::ranges::find_if(rows, [&](const auto& row) {
      return row.front()->method == outcome.method && row.front()->chosen == outcome.chosen;
    });
    if (same == rows.end())
      rows.push_back({&outcome});
    else
      same->push_back(&outcome);
  }
  return rows;
}

// Labels a row with its method and the base clocks that lead to it: "from 1485..1635 MHz (4)" gives both ends and the
// count.
std::string name_of(const std::vector<const MethodOutcome*>& row) {
  const MethodOutcome& first = *row.front();
  if (!first.base_clock) return first.method;
  const double low = first.base_clock->value();
  if (row.size() == 1) return fmt::format("{} from {:g} MHz", first.method, low);
  return fmt::format("{} from {:g}..{:g} MHz ({})", first.method, low, row.back()->base_clock->value(), row.size());
}

std::vector<std::string> cells_of(const std::vector<const MethodOutcome*>& row) {
  const MethodOutcome& first = *row.front();
  const std::string evaluations = std::to_string(first.evaluations);
  if (!first.chosen) return {name_of(row), first.remark, "-", "-", "-", evaluations};
  return {name_of(row),
          first.chosen->to_string(),
          fmt::format("{:.4g}", to_ms(first.time)),
          fmt::format("{:.4g}", first.energy.value()),
          fmt::format("{:.3f}", first.energy_ratio),
          evaluations};
}

const MethodOutcome* find(const std::vector<MethodOutcome>& outcomes, std::string_view method) {
  const auto found = std::ranges::find(outcomes, method, &MethodOutcome::method);
  return found != outcomes.end() && found->chosen ? &*found : nullptr;
}

// Compares the least energy with the least time: the cost of saving energy.
std::string trade_text(const std::vector<MethodOutcome>& outcomes) {
  const MethodOutcome* const fastest = find(outcomes, "race-to-idle");
  const MethodOutcome* const thriftiest = find(outcomes, "global");
  if (fastest == nullptr || thriftiest == nullptr) return {};
  const double time = thriftiest->time / fastest->time;
  const double energy = thriftiest->energy / fastest->energy;
  return fmt::format(
      "the least energy against the least time: slower by {:.1f} % (the speed falls by {:.1f} %), {:.1f} % less energy "
      "({:.1f} % more runs per joule)\n",
      100.0 * (time - 1.0), 100.0 * (1.0 - 1.0 / time), 100.0 * (1.0 - energy), 100.0 * (1.0 / energy - 1.0));
}

std::string drift_text(const std::vector<report::AtClock>& clocks) {
  std::vector<const report::AtClock*> known;
  for (const report::AtClock& each : clocks)
    if (each.temperature) known.push_back(&each);
  if (known.empty()) return {};
  const auto by_temperature = [](const report::AtClock* each) { return *each->temperature; };
  const auto [coolest, hottest] = std::ranges::minmax_element(known, {}, by_temperature);
  if (by_temperature(*hottest) - by_temperature(*coolest) < kNotableDrift) return {};
  return fmt::format(
      "the recording drifts: median {:.0f} °C at {:g} MHz, {:.0f} °C at {:g} MHz, so part of what clocks seem to save "
      "may be owed to temperature\n",
      by_temperature(*coolest).value(), (*coolest)->clock.value(), by_temperature(*hottest).value(),
      (*hottest)->clock.value());
}

}  // namespace

Result<MethodsReport> report_methods(const ResultSet& results, const std::vector<tune::MeasuredKernel>& others) {
  WATTUNE_ASSIGN(const space::SearchSpace space, tune::recorded_space(results));
  WATTUNE_ASSIGN(const tune::Recording recording, tune::Recording::match(space, results));
  MethodsReport report;
  search::MethodOptions options{.window = tune::steered_window};
  if (!others.empty()) {
    WATTUNE_ASSIGN(options.advised_clock, tune::advised_clock(tune::graphics_clocks(space.parameters()), others));
  }
  WATTUNE_ASSIGN(report.outcomes, tune::compare_methods(recording, space, options));
  report.clocks = report::by_clock(results);
  if (report.clocks.size() > 1) report.fit_text = describe_energy(results).front();
  report.fit = fit_json(results);
  report.clocks_missing = why_no_clocks(space.parameters());
  report.doubts = stray_texts(results);
  if (std::string unknown = unknown_memory_text(results); !unknown.empty()) report.doubts.push_back(std::move(unknown));
  if (recording.impossible() > 0) report.doubts.push_back(impossible_text(recording.impossible()));
  return report;
}

std::string methods_text(const MethodsReport& report, std::size_t width) {
  using enum report::TextTable::Align;
  report::TextTable table(
      {{"name", left}, {"configuration", left}, {"time_ms"}, {"energy_j"}, {"energy_ratio"}, {"evaluations"}});
  for (const auto& row : rows_of(report.outcomes)) table.add_row(cells_of(row));
  std::string text = table.to_string();  // not cut to the terminal's width, so that whole configurations can be copied
  for (const std::string& line : {trade_text(report.outcomes), drift_text(report.clocks),
                                  report.clocks_missing.empty() ? std::string() : report.clocks_missing + "\n"})
    text += report::wrapped(line, width);
  for (const std::string& doubt : report.doubts) text += report::wrapped(doubt + "\n", width);
  if (!report.fit_text.empty()) text += report::paragraph(report.fit_text, width);
  return text;
}

Json methods_json(const MethodsReport& report) {
  Json methods = Json::array();
  for (const MethodOutcome& outcome : report.outcomes) {
    Json& entry = methods.emplace_back(Json{{"name", outcome.method},
                                            {"configuration", nullptr},
                                            {"time_ms", nullptr},
                                            {"energy_j", nullptr},
                                            {"energy_ratio", nullptr},
                                            {"evaluations", outcome.evaluations}});
    if (!outcome.remark.empty()) entry["remark"] = outcome.remark;
    if (outcome.base_clock) entry["base_clock_mhz"] = outcome.base_clock->value();
    if (!outcome.chosen) continue;
    entry["configuration"] = to_json(*outcome.chosen);
    entry["time_ms"] = to_ms(outcome.time);
    entry["energy_j"] = outcome.energy.value();
    entry["energy_ratio"] = outcome.energy_ratio;
  }
  Json clocks = Json::array();
  for (const report::AtClock& each : report.clocks)
    clocks.push_back({{"clock_mhz", each.clock.value()},
                      {"least_energy_j", energy_of(each.least->observation)->value()},
                      {"temperature_c", json_or_null(each.temperature)}});
  return {{"methods", methods},
          {"by_clock", clocks},
          {"fit", report.fit},
          {"clocks_missing", report.clocks_missing},
          {"doubts", report.doubts}};
}

}  // namespace wattune::cli
