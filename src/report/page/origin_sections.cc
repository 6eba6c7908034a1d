#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/interface/wording.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"

namespace wattune::inline v0_1::report {

namespace {

std::string moment_text(std::chrono::system_clock::time_point moment) {
  const auto days = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(moment - days));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

// Returns the moment as text; empty if the file does not say it.
std::string known_moment(std::chrono::system_clock::time_point moment) {
  return moment == std::chrono::system_clock::time_point() ? std::string() : moment_text(moment);
}

std::string kind_text(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu: return "processor";
    case DeviceKind::gpu: return "GPU";
    case DeviceKind::accelerator: return "accelerator";
    case DeviceKind::simulated: return "replayed or simulated";
  }
  return {};
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == 0) return {};
  constexpr double kGigabyte = 1e9, kKilobyte = 1e3;
  const auto size = static_cast<double>(bytes);
  return size >= kGigabyte ? fmt::format("{:.1f} GB", size / kGigabyte) : fmt::format("{:.1f} kB", size / kKilobyte);
}

PageTable parameter_table(const RunInfo& info) {
  PageTable table = PageTable::of(4, {"parameter", "role", "default", "values"});
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const Parameter& parameter = info.parameters[i];
    std::vector<std::string> values;
    for (const Value& value : parameter.values) values.push_back(value.to_string());
    table.rows.push_back({parameter.name, std::string(to_string(parameter.role)),
                          i < info.default_values.size() ? info.default_values[i].to_string() : "",
                          fmt::format("{}", fmt::join(values, ", "))});
  }
  return table;
}

std::string objectives_text(const RunInfo& info) {
  if (info.objectives.empty()) return "the least time";
  std::string text;
  for (const Objective& each : info.objectives) {
    text += fmt::format("{}the {} {}", text.empty() ? "" : ", then ", each.maximize ? "most" : "least", each.metric);
    if (each.slowdown) text += fmt::format(" at a slowdown of at most {:g} %", 100.0 * *each.slowdown);
  }
  return text;
}

// Returns the time from the first Trial's end to the last one's; 0 if the file does not say it.
Nanoseconds span_of(const ResultSet& results) {
  if (results.trials.empty()) return {};
  const auto [first, last] = std::ranges::minmax(results.trials, {}, &Trial::finished_at);
  return Nanoseconds(static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(last.finished_at - first.finished_at).count()));
}

std::string devices_text(const ResultSet& results) {
  std::map<std::string, std::size_t> counts;
  for (const Trial& trial : results.trials)
    if (!trial.device.empty()) ++counts[trial.device];
  std::string text;
  for (const auto& [device, count] : counts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", device, counted(count, "configuration"));
  return text;
}

}  // namespace

std::optional<PageSection> effort_section(const TuningRun& run) {
  constexpr std::array<std::pair<const char*, Nanoseconds PhaseTimes::*>, 4> kPhases = {
      {{"compiling", &PhaseTimes::compile},
       {"checking outputs", &PhaseTimes::check},
       {"measuring", &PhaseTimes::measure},
       {"overhead of the tuner", &PhaseTimes::overhead}}};
  PageTable table = PageTable::of(1, {"phase", "all evaluations", "share", "the longest"});
  Nanoseconds sum;
  for (const Trial& trial : run.results.trials)
    for (const auto& [name, phase] : kPhases) sum += trial.observation.phases.*phase;
  if (!(sum > Nanoseconds())) return std::nullopt;
  for (const auto& [name, phase] : kPhases) {
    Nanoseconds all;
    Nanoseconds longest;
    for (const Trial& trial : run.results.trials) {
      all += trial.observation.phases.*phase;
      longest = std::max(longest, trial.observation.phases.*phase);
    }
    table.rows.push_back({name, duration_text(all), fmt::format("{:.1f} %", 100.0 * (all / sum)), time_text(longest)});
  }
  PageSection section("pipeline", "The pipeline");
  section.add_table("How long each phase took, over all evaluations", table);
  const Nanoseconds span = span_of(run.results);
  if (span > Nanoseconds())
    section.add_words(fmt::format(
        "The phases add up to {}, and {} passed from the first result to the last. Configurations are compiled while "
        "others run, so that the sum may exceed this time.",
        duration_text(sum), duration_text(span)));
  return section;
}

PageSection device_section(const TuningRun& run) {
  const DeviceInfo& device = run.results.info.device;
  PageSection section("device", "Device and versions");
  section.add_facts(
      {{"device", device.name},
       {"kind", device.backend.empty() && device.kind == DeviceKind::cpu ? "" : kind_text(device.kind)},
       {"selector", device.selector},
       {"vendor", device.vendor},
       {"platform", device.platform},
       {"driver", device.driver_version},
       {"language", device.language_version},
       {"architecture", device.architecture},
       {"compute units", device.compute_units ? fmt::format("{}", *device.compute_units) : ""},
       {"clock", device.clock_mhz ? fmt::format("{:g} MHz", *device.clock_mhz) : ""},
       {"device memory", bytes_text(device.global_memory_bytes.value_or(0))},
       {"measured by", devices_text(run.results)},
       {"Wattune", run.results.info.wattune_version},
       {"began", known_moment(run.results.info.started_at)},
       {"last result", run.results.trials.empty()
                           ? ""
                           : known_moment(std::ranges::max(run.results.trials, {}, &Trial::finished_at).finished_at)}});
  return section;
}

PageSection identity_section(const TuningRun& run) {
  const RunInfo& info = run.results.info;
  PageSection section("identity", "What was tuned");
  section.add_facts({{"kernel", info.kernel_name},
                     {"language", info.kernel_language},
                     {"problem size", info.problem_size},
                     {"searched for", objectives_text(info)},
                     {"evaluations", group_digits(run.results.trials.size())},
                     {"hash of the space", info.space_hash}});
  if (!info.parameters.empty()) section.add_table("Parameters", parameter_table(info));
  if (!info.constraints.empty()) {
    section.add_words("Each configuration meets these constraints:");
    section.add_list(info.constraints);
  }
  if (!info.identity.empty()) {
    PageTable table = PageTable::of(2, {"part", "value"});
    for (const auto& [part, value] : info.identity) table.rows.push_back({part, value});
    section.add_table_behind("All that another measurement must share to be compared (its identity)", table);
  }
  return section;
}

PageSection commands_section(const TuningRun& run) {
  const std::string file = run.file_word();
  PageSection section("commands", "Commands");
  section.add_command("The same figures in a terminal:", "wattune show " + file);
  section.add_command("How hard the space is:", "wattune analyze " + file);
  section.add_command("All data for other programs:", fmt::format("wattune export {} --format csv", file));
  section.add_command("This page again:", fmt::format("wattune report {} --output {}.html", file, run.file_stem()));
  return section;
}

}  // namespace wattune::report
