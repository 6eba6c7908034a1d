#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/json.h"
#include "cli/text.h"

namespace wattune::cli {

namespace {

std::string describe_time(const Observation& observation) {
  const Statistics& statistics = *observation.statistics;
  std::string text = format_time(statistics.median);
  if (statistics.confidence > 0.0) {
    text += fmt::format("  ({:.0f} % interval {} to {})", 100.0 * statistics.confidence,
                        format_time(statistics.interval_low), format_time(statistics.interval_high));
  }
  return text + (observation.verified ? "" : "  not verified: no reference");
}

std::string line(std::string_view label, std::string_view text) { return fmt::format("{:<11} {}\n", label, text); }

bool has_correct_baseline(const tune::TuningResult& result) {
  return result.baseline && result.baseline->observation.ok();
}

// Of the best over the default configuration.
std::optional<double> speed_up(const tune::TuningResult& result) {
  if (!result.best || !has_correct_baseline(result)) return std::nullopt;
  if (result.paired_gain) return result.paired_gain->median;
  return gain(result.best->observation, result.baseline->observation);
}

std::string describe_speed_up(double ratio, const std::optional<measure::PairedGain>& paired) {
  const std::string text = fmt::format("{:.2f}x over the default", ratio);
  return paired ? text + fmt::format("  (side by side {:.2f} to {:.2f})", paired->low, paired->high) : text;
}

// A measured configuration, with those that cannot be told from it.
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

// The middle of the clocks at which the samples were taken, in MHz; 0 when none is known.
double median_clock(const std::vector<Sample>& samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples)
    if (sample.clock_mhz) clocks.push_back(*sample.clock_mhz);
  if (clocks.empty()) return 0.0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

std::string figures_text(const Observation& observation) {
  std::string text = line("time", describe_time(observation));
  if (const double clock = median_clock(observation.samples); clock > 0.0)
    text += line("clock", fmt::format("{:.0f} MHz", clock));
  for (const Metric& metric : observation.metrics)
    text += line(metric.name, fmt::format("{:.6g}{}{}", metric.value, metric.unit.empty() ? "" : " ", metric.unit));
  return text;
}

std::string describe_memcheck(const Sanitized& found) {
  if (found.errors == 0) return "memcheck found no errors";
  return fmt::format("memcheck found {} errors: {}", group_digits(found.errors), found.first);
}

double share(Nanoseconds part, Nanoseconds whole) { return whole.value() > 0.0 ? part / whole : 0.0; }

// Of the time of the run.
std::vector<double> busy_shares(const tune::TuningResult& result) {
  std::vector<double> shares;
  for (const Nanoseconds& busy : result.pipeline->devices_busy) shares.push_back(share(busy, result.elapsed));
  return shares;
}

// A line for the device, or one for each of several. Times of a replay are recorded ones, which must be plain to see.
std::string devices_text(const Summary& summary) {
  const DeviceInfo& device = summary.info.device;
  if (summary.result.devices.size() == 1)
    return line("device", fmt::format("{} ({}){}", device.name, device.selector,
                                      device.kind == DeviceKind::simulated ? ", replayed" : ""));
  const std::vector<double> busy = busy_shares(summary.result);
  std::string text;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const tune::DeviceShare& each = summary.result.devices[i];
    text += line("device", fmt::format("{} ({}): {} configurations, {:.0f} % busy{}", device.name, each.device,
                                       group_digits(each.evaluated), 100.0 * busy[i],
                                       each.lost.empty() ? "" : ", lost: " + each.lost));
  }
  return text;
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
                    {"lost", each.lost.empty() ? Json(nullptr) : Json(each.lost)}});
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

}  // namespace

std::string trial_text(const Trial& trial) {
  const Observation& observation = trial.observation;
  const std::string head = line("configured", trial.configuration.to_string());
  if (observation.ok()) return head + figures_text(observation);
  return head + line("failed", fmt::format("{}: {}", to_string(observation.status), observation.message));
}

std::string summary_text(const Summary& summary) {
  const tune::TuningResult& result = summary.result;
  std::string text;
  if (result.best) {
    text += line("best", result.best->configuration.to_string()) + figures_text(result.best->observation);
    for (const Trial& trial : result.ties) text += line("as good", trial.configuration.to_string());
  } else {
    text += line("best", "none: no configuration was correct");
  }
  if (result.baseline) text += line("default", describe_baseline(result));
  if (const std::optional<double> ratio = speed_up(result))
    text += line(result.best->observation.target ? "gain" : "speed-up", describe_speed_up(*ratio, result.paired_gain));
  const std::string resumed = result.resumed > 0 ? fmt::format(" after {} before", group_digits(result.resumed)) : "";
  text += line("evaluated", fmt::format("{} configurations{} in {}: {}", group_digits(result.evaluated), resumed,
                                        format_wait(to_seconds(result.elapsed)), format_counts(result.by_status)));
  if (result.throttled_samples > 0)
    text += line("throttled", fmt::format("{} of {} samples were taken while power or heat held the clock down",
                                          group_digits(result.throttled_samples), group_digits(result.samples)));
  if (summary.sanitized) text += line("sanitized", describe_memcheck(*summary.sanitized));
  text += line("stopped", result.stop_reason);
  text += devices_text(summary);
  text += line("results", summary.result_file.string());
  text += line("next", fmt::format("wattune show {}", summary.result_file.string()));
  return text;
}

std::string summary_json(const Summary& summary) {
  const tune::TuningResult& result = summary.result;
  const std::optional<double> ratio = speed_up(result);
  const auto& paired = result.paired_gain;
  const Json interval = paired ? Json::array({paired->low, paired->high}) : Json(nullptr);
  return dump({{"kernel", summary.info.kernel_name},
               {"device", to_json(summary.info.device)},
               {"valid", to_json(summary.valid)},
               {"strategy", summary.strategy},
               {"seed", summary.seed},
               {"best", result.best ? best_json(result) : Json(nullptr)},
               {"default", has_correct_baseline(result) ? to_json(*result.baseline) : Json(nullptr)},
               {"speed_up", ratio ? Json(*ratio) : Json(nullptr)},
               {"speed_up_interval", interval},
               {"evaluated", result.evaluated},
               {"resumed", result.resumed},
               {"by_status", to_json(result.by_status)},
               {"samples", result.samples},
               {"throttled_samples", result.throttled_samples},
               {"sanitized", summary.sanitized
                                 ? Json{{"errors", summary.sanitized->errors}, {"first", summary.sanitized->first}}
                                 : Json(nullptr)},
               {"stop_reason", result.stop_reason},
               {"elapsed_seconds", to_seconds(result.elapsed)},
               {"pipeline", pipeline_json(result)},
               {"devices", devices_json(result)},
               {"result_file", summary.result_file.string()}});
}

}  // namespace wattune::cli
