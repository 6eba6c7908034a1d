#include "cli/tune/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "cli/program/checked.h"
#include "cli/program/json.h"
#include "cli/program/text.h"
#include "core/interface/printable.h"
#include "report/interface/text.h"

namespace wattune::cli {

namespace {

std::string describe_time(const Observation& observation) {
  const Statistics& statistics = *observation.statistics;
  std::string text = format_time(statistics.median);
  if (statistics.confidence) {
    text += fmt::format("  ({:.0f} % interval {} to {})", 100.0 * *statistics.confidence,
                        format_time(statistics.interval_low), format_time(statistics.interval_high));
  }
  return text + (observation.verified ? "" : "  not verified: " + why_unverified(observation));
}

// Lines with a label each, whose texts begin in the same column.
class Lines {
 public:
  void add(std::string_view label, std::string_view text) { lines_.emplace_back(printable(label), printable(text)); }

  std::string to_string() const {
    std::size_t width = 0;
    for (const auto& [label, text] : lines_) width = std::max(width, label.size());
    std::string all;
    for (const auto& [label, text] : lines_) all += fmt::format("{:<{}}  {}\n", label, width, text);
    return all;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

bool has_correct_baseline(const tune::TuningResult& result) {
  return result.baseline && result.baseline->observation.ok();
}

// Describes the speed-up of the best over the default configuration. Returns an empty text if they cannot be compared.
std::string describe_speed_up(const Trial& best, const Trial& standard) {
  if (best.configuration.id() == standard.configuration.id())
    return "none: no configuration proved better than the default";
  const std::optional<double> ratio = gain_over_default(best.observation, standard.observation);
  if (!ratio) return {};
  const std::string text = fmt::format("{:.2f}x over the default", *ratio);
  const std::optional<PairedGain>& paired = best.observation.over_default;
  return paired ? text + fmt::format("  ({:.2f} to {:.2f}, in turns with it)", paired->low, paired->high) : text;
}

// Returns the best configuration as JSON, with those that may be as good.
Json best_json(const tune::TuningResult& result) {
  Json json = to_json(*result.best);
  json["ties"] = Json::array();
  for (const Trial& trial : result.ties) json["ties"].push_back(to_json(trial));
  return json;
}

std::string describe_baseline(const tune::TuningResult& result) {
  const Observation& observation = result.baseline->observation;
  if (observation.ok()) {
    return fmt::format("{}  ({})", format_time(observation.statistics->median),
                       result.baseline->configuration.to_string());
  }
  return fmt::format("{}: {}", to_string(observation.status), observation.message);
}

// Returns the median of the clocks at which the samples were taken; nullopt if none is known.
std::optional<Megahertz> median_clock(const std::vector<Sample>& samples) {
  std::vector<Megahertz> clocks;
  for (const Sample& sample : samples)
    if (sample.clock) clocks.push_back(*sample.clock);
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

void add_figures(Lines& lines, const Observation& observation) {
  lines.add("time", describe_time(observation));
  if (const auto clock = median_clock(observation.samples))
    lines.add("clock", fmt::format("{:.0f} MHz", clock->value()));
  for (const Metric& metric : observation.metrics)
    lines.add(metric.name, report::figure_text(metric) + (metric.unit.empty() ? "" : " " + metric.unit));
  if (!observation.lacking.empty()) lines.add("without", observation.lacking);
  if (const std::string warning = report::warning_of(observation.metrics); !warning.empty())
    lines.add("warning", warning);
}

std::string describe_memcheck(const Sanitized& found) {
  if (found.errors == 0) return "memcheck found no errors";
  return fmt::format("memcheck found {}: {}", counted(found.errors, "error"), found.first);
}

double share(Nanoseconds part, Nanoseconds whole) { return whole.value() > 0.0 ? part / whole : 0.0; }

// Returns for each device the share of the run in which it was busy.
std::vector<double> busy_shares(const tune::TuningResult& result) {
  std::vector<double> shares;
  for (const Nanoseconds& busy : result.pipeline->devices_busy) shares.push_back(share(busy, result.elapsed));
  return shares;
}

// Adds a line for each device. If results were replayed, the line says that times are recorded ones.
void add_devices(Lines& lines, const Summary& summary) {
  const DeviceInfo& device = summary.info.device;
  if (summary.result.devices.size() == 1)
    return lines.add("device", fmt::format("{} ({}){}", device.name, device.selector,
                                           device.kind == DeviceKind::simulated ? ", replayed" : ""));
  const std::vector<double> busy = busy_shares(summary.result);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const tune::DeviceShare& each = summary.result.devices[i];
    lines.add("device", fmt::format("{} ({}): {}, {:.0f} % busy{}", device.name, each.device,
                                    counted(each.evaluated, "configuration"), 100.0 * busy[i],
                                    each.lost ? ", lost: " + each.lost->to_string() : ""));
  }
}

Json devices_json(const tune::TuningResult& result) {
  Json json = Json::array();
  if (!result.pipeline) return json;
  const std::vector<double> busy = busy_shares(result);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const tune::DeviceShare& each = result.devices[i];
    json.push_back({{"selector", each.device},
                    {"evaluated", each.evaluated},
                    {"busy", busy[i]},
                    {"lost", each.lost ? Json(each.lost->to_string()) : Json(nullptr)}});
  }
  return json;
}

Json pipeline_json(const tune::TuningResult& result) {
  if (!result.pipeline) return nullptr;
  const std::vector<double> busy = busy_shares(result);
  Json json = {{"device_busy", std::reduce(busy.begin(), busy.end()) / static_cast<double>(busy.size())}};
  const backend::CompileActivity compiling = result.pipeline->compiling.value_or(backend::CompileActivity());
  json["compile_processes"] = compiling.processes;
  json["compiled"] = compiling.compiled;
  json["cache_hits"] = compiling.cache_hits;
  json["compile_busy"] = share(compiling.busy, result.elapsed * static_cast<double>(compiling.processes));
  json["waited_seconds"] = to_seconds(compiling.waited);
  return json;
}

void add_check(Lines& lines, const Observation& observation, const Identity& identity) {
  if (const std::string text = checked_text(observation, identity); !text.empty()) lines.add("checked", text);
}

void add_best(Lines& lines, const tune::TuningResult& result, const RunInfo& info) {
  if (result.best) {
    lines.add("best", result.best->configuration.to_string());
    add_figures(lines, result.best->observation);
    add_check(lines, result.best->observation, info.identity);
    for (const Trial& trial : result.ties) lines.add("as good", trial.configuration.to_string());
  } else {
    const bool any_correct = result.by_status.contains(Status::correct) && result.by_status.at(Status::correct) > 0;
    const std::string_view why = any_correct             ? "no correct configuration has a value of the objective"
                                 : result.evaluated == 0 ? "no configuration was evaluated"
                                                         : "no configuration was correct";
    lines.add("best", fmt::format("none: {}", why));
  }
  if (result.baseline) lines.add("default", describe_baseline(result));
  if (!result.best || !has_correct_baseline(result)) return;
  if (const std::string text = describe_speed_up(*result.best, *result.baseline); !text.empty())
    lines.add(result.best->observation.objective_value ? "gain" : "speed-up", text);
}

}  // namespace

std::string trial_text(const Trial& trial, const Identity& identity) {
  const Observation& observation = trial.observation;
  Lines lines;
  lines.add("configured", trial.configuration.to_string());
  if (observation.ok())
    add_figures(lines, observation);
  else
    lines.add("failed", fmt::format("{}: {}", to_string(observation.status), observation.message));
  add_check(lines, observation, identity);
  const bool not_compiled = observation.status == Status::compile && !observation.build_log.empty();
  return lines.to_string() + (not_compiled ? "\n" + observation.build_log + "\n" : "");
}

std::string summary_text(const Summary& summary) {
  const tune::TuningResult& result = summary.result;
  Lines lines;
  add_best(lines, result, summary.info);
  if (summary.chosen) lines.add("by the method", summary.chosen->to_string());
  const std::string resumed = result.resumed > 0 ? fmt::format(" after {} before", group_digits(result.resumed)) : "";
  const std::string counts = result.by_status.empty() ? "" : ": " + format_counts(result.by_status);
  lines.add("evaluated", fmt::format("{}{} in {}{}", counted(result.evaluated, "configuration"), resumed,
                                     format_wait(to_seconds(result.elapsed)), counts));
  if (result.lacking > 0)
    lines.add("lacking",
              fmt::format("metrics of {}: {}", counted(result.lacking, "configuration"), result.why_lacking));
  if (result.skipped > 0)
    lines.add("skipped", fmt::format("{} beyond what the device or a resource constraint allows, which count as no "
                                     "evaluations",
                                     counted(result.skipped, "configuration")));
  if (result.left_out > 0)
    lines.add("left out", fmt::format("the energy of {} of them, which are too slow to be as good as the best",
                                      group_digits(result.left_out)));
  if (result.throttled_samples > 0)
    lines.add("throttled", fmt::format("{} of {} samples were taken while power or heat held the clock down",
                                       group_digits(result.throttled_samples), group_digits(result.samples)));
  if (summary.sanitized) lines.add("sanitized", describe_memcheck(*summary.sanitized));
  if (result.stop_reason) lines.add("stopped", result.stop_reason->text);
  add_devices(lines, summary);
  lines.add("results", summary.result_file.string());
  std::error_code ignored;
  if (std::filesystem::exists(summary.result_file, ignored))
    lines.add("next", "wattune show " + quoted_for_shell(summary.result_file.string()));
  return lines.to_string();
}

std::string summary_json(const Summary& summary) { return dump(summary_document(summary)); }

Json summary_document(const Summary& summary) {
  const tune::TuningResult& result = summary.result;
  const Trial* standard = has_correct_baseline(result) ? &*result.baseline : nullptr;
  Json json = {{"kernel", summary.info.kernel_name},
               {"device", to_json(summary.info.device)},
               {"valid", to_json(summary.valid)},
               {"exact", summary.exact},
               {"strategy", summary.strategy},
               {"chosen", summary.chosen ? to_json(*summary.chosen) : Json()},
               {"seed", summary.seed},
               {"best", result.best ? best_json(result) : Json(nullptr)},
               {"default", standard != nullptr ? to_json(*standard) : Json(nullptr)}};
  json.update(speed_up_json(result.best ? &*result.best : nullptr, standard));
  json["checked_against"] = checked_against(summary.info.identity, result.best ? &*result.best : nullptr);
  json.update({{"evaluated", result.evaluated},
               {"skipped", result.skipped},
               {"resumed", result.resumed},
               {"by_status", to_json(result.by_status)},
               {"left_out", result.left_out},
               {"lacking_metrics", result.lacking},
               {"samples", result.samples},
               {"throttled_samples", result.throttled_samples},
               {"sanitized", summary.sanitized
                                 ? Json{{"errors", summary.sanitized->errors}, {"first", summary.sanitized->first}}
                                 : Json(nullptr)},
               {"stop_reason", result.stop_reason ? result.stop_reason->text : std::string()},
               {"elapsed_seconds", to_seconds(result.elapsed)},
               {"pipeline", pipeline_json(result)},
               {"devices", devices_json(result)},
               {"result_file", summary.result_file.string()}});
  return json;
}

}  // namespace wattune::cli
