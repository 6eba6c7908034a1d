// Converts the results of a tuning run to entries of a wisdom file, in which applications find the best known
// configurations. Converts such entries to results, too.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tune/interface/describe_run.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Error unfit(const RunInfo& info, std::string what) {
  return Error(ErrorCode::mismatch, fmt::format("the results for {} {}", info.device.name, std::move(what)));
}

Result<void> check_meaning(const RunInfo& info) {
  if (info.device.kind == DeviceKind::simulated)
    return unfit(info, "were replayed, not measured").hint("export what was replayed");
  if (!info.objectives.empty())
    return unfit(info, "were searched for another objective than the least time").about(info.objectives[0].metric);
  return {};
}

Result<void> use_language_of(const RunInfo& info, KernelSpec& spec) {
  for (const KernelSource& each : spec.alternatives)
    if (info.kernel_language == to_string(each.language)) return use_language(spec, {each.language});
  return {};
}

// Checks that results are of this version. Results of other programs have no identity, so that only their parameters
// are checked.
Result<void> check_version(const RunInfo& info, const KernelSpec& spec) {
  for (const auto& [part, wanted] : tune::kernel_identity(spec)) {
    const auto found = info.identity.find(part);
    if (found != info.identity.end() && found->second != wanted)
      return unfit(info, "are of another version of the kernel")
          .about(to_string(IdentityDifference{part, found->second, wanted}));
  }
  return {};
}

bool takes(const Parameter& parameter, const Configuration& configuration) {
  const Value* value = configuration.find(parameter.name);
  return value != nullptr && std::ranges::count(parameter.values, *value) > 0;
}

Result<void> check_parameters(const RunInfo& info, const KernelSpec& spec, const Configuration& best) {
  const bool fits = best.values().size() == spec.parameters.size() &&
                    std::ranges::all_of(spec.parameters, [&](const Parameter& each) { return takes(each, best); });
  return fits ? Result<void>() : unfit(info, "have other parameters than the kernel").about(best.to_string());
}

// Parses sizes. They are written as "1024x96" by describe_run(), or as "(1024, 96)" by Kernel Tuner. Returns nullopt if
// the text contains other parts than numbers.
std::optional<std::vector<std::int64_t>> sizes_in(std::string_view text) {
  std::vector<std::int64_t> sizes;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of("x, ()[]"), text.size());
    text.remove_prefix(begin);
    if (text.empty()) break;
    std::int64_t size = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (failure != std::errc()) return std::nullopt;
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return sizes;
}

Result<Key> key_of_run(const RunInfo& info, const KernelSpec& spec) {
  std::vector<NamedSize> sizes = spec.problem_size;
  if (info.problem_size.empty()) return key_of(sizes);
  const std::optional<std::vector<std::int64_t>> recorded = sizes_in(info.problem_size);
  if (!recorded || recorded->size() != sizes.size())
    return unfit(info, "have other sizes than the kernel").about(info.problem_size);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i].value = (*recorded)[i];
  return key_of(sizes);
}

// Sets time and interval. If the confidence of the median is unknown, the interval is the range of the samples.
void set_time(const Observation& observation, WisdomEntry& entry) {
  const Statistics& statistics = *observation.statistics;
  entry.time = statistics.median;
  entry.low = std::min(statistics.interval_low, entry.time);
  entry.high = std::max(statistics.interval_high, entry.time);
  entry.samples = std::max<std::size_t>(observation.samples.size(), 1);
  if (statistics.confidence) return;
  for (const Sample& sample : observation.samples) {
    entry.low = std::min(entry.low, sample.time);
    entry.high = std::max(entry.high, sample.time);
  }
}

// Returns an observation with the values of the entry, to be formatted by functions for observations.
Observation observation_of(const WisdomEntry& entry) {
  Observation observation;
  observation.statistics = Statistics{.median = entry.time,
                                      .interval_low = entry.low,
                                      .interval_high = entry.high,
                                      .mean = entry.time,
                                      .minimum = entry.low};
  return observation;
}

std::string size_text(const Key& key) {
  std::vector<std::string> values;
  for (const KeyPart& part : key) values.push_back(part.value.to_string());
  return fmt::format("{}", fmt::join(values, "x"));
}

ResultSet result_from(const WisdomEntry& entry) {
  ResultSet result;
  result.info.kernel_name = entry.kernel.name;
  result.info.problem_size = size_text(entry.key);
  result.info.device.name = entry.device;
  result.info.device.architecture = entry.architecture;
  result.info.wattune_version = entry.wattune_version;
  result.info.started_at = entry.measured_at;
  for (std::size_t i = 0; i < entry.configuration.values().size(); ++i)
    result.info.parameters.push_back(
        {.name = entry.configuration.names()[i], .values = {entry.configuration.values()[i]}});
  result.trials.push_back({entry.configuration, observation_of(entry), entry.measured_at});
  return result;
}

}  // namespace

Result<std::vector<WisdomEntry>> entries_from(const ResultSet& results, KernelSpec spec) {
  WATTUNE_TRY(check_meaning(results.info));
  WATTUNE_TRY(use_language_of(results.info, spec));
  WATTUNE_TRY(check_version(results.info, spec));
  const Trial* best = results.best();
  if (best == nullptr) return std::vector<WisdomEntry>();
  WATTUNE_TRY(check_parameters(results.info, spec, best->configuration));
  WisdomEntry entry;
  entry.kernel = version_of(spec);
  entry.device = results.info.device.name;
  entry.architecture = results.info.device.architecture;
  WATTUNE_ASSIGN(entry.key, key_of_run(results.info, spec));
  entry.configuration = best->configuration;
  set_time(best->observation, entry);
  entry.measured_at = best->finished_at;
  entry.wattune_version = results.info.wattune_version;
  WATTUNE_TRY(check(entry));
  return std::vector<WisdomEntry>{std::move(entry)};
}

std::vector<ResultSet> results_from(const std::vector<WisdomEntry>& entries) {
  std::vector<ResultSet> results;
  for (const WisdomEntry& entry : entries) results.push_back(result_from(entry));
  return results;
}

}  // namespace wattune::dynamic
