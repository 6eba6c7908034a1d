// Results of KTT (Kernel Tuning Toolkit) 2.x as its JSON serializer writes them.
#include <fmt/format.h>

#include "core/interface/printable.h"
#include "store/recorded.h"

namespace wattune::inline v0_1::store {

namespace {

struct KttStatus {
  std::string_view name;
  Status status;
};
constexpr KttStatus kStatuses[] = {{"Ok", Status::correct},
                                   {"ComputationFailed", Status::runtime},
                                   {"ValidationFailed", Status::correctness},
                                   {"CompilationFailed", Status::compile},
                                   {"DeviceLimitsExceeded", Status::constraints}};

Status status_of(const Json& result) {
  const std::string& name = text_member(result, "Status");
  for (const KttStatus& known : kStatuses)
    if (known.name == name) return known.status;
  throw Malformed(fmt::format("`Status` is not one of KTT's: {}", in_quotes(name)));
}

// Returns the name that Wattune has for a resource (resource_names()). If Wattune has no name, returns that of KTT.
std::string name_of(const std::string& compilation_name) {
  if (compilation_name == "RegistersCount") return "registers";
  if (compilation_name == "PrivateMemorySize") return "private_memory";
  return compilation_name == "LocalMemorySize" ? "static_local_memory" : compilation_name;
}

// Returns the metrics from the compiler and the profiler. If a configuration runs several kernels, the metrics of the
// first kernel are returned.
std::vector<Metric> metrics_of_ktt(const Json& result) {
  std::vector<Metric> metrics;
  const Json* computations = find_member(result, "ComputationResults");
  if (computations == nullptr || !computations->is_array() || computations->empty()) return metrics;
  const Json& kernel = computations->front();
  if (const Json* compilation = find_member(kernel, "CompilationData"); compilation != nullptr)
    for (const auto& [name, value] : compilation->items())
      if (value.is_number()) metrics.push_back({name_of(name), value.get<double>(), ""});
  const Json* profiling = find_member(kernel, "ProfilingData");
  const Json* counters = profiling == nullptr ? nullptr : find_member(*profiling, "Counters");
  if (counters != nullptr && counters->is_array())
    for (const Json& counter : *counters)
      if (const Json* value = find_member(counter, "Value"); value != nullptr && value->is_number())
        metrics.push_back({text_or(counter, "Name", ""), value->get<double>(), ""});
  return metrics;
}

Observation observation_of_ktt(const Json& result, double unit) {
  Observation observation;
  observation.status = status_of(result);
  observation.phases.compile = Nanoseconds(number_or(result, "TotalOverhead", 0.0) * unit);
  observation.phases.check = Nanoseconds(number_or(result, "ValidationOverhead", 0.0) * unit);
  observation.metrics = metrics_of_ktt(result);
  if (!observation.ok()) {
    observation.message = text_member(result, "Status");
    return observation;
  }
  const Nanoseconds time(number_or(result, "TotalDuration", 0.0) * unit);
  set_times(observation, time, {{time}});
  return observation;
}

std::vector<std::string> names_in_ktt(const Document& document) {
  std::vector<std::string> names;
  if (document.entries.empty()) return names;
  for (const Json& pair : array_member(document.entries.front(), "Configuration"))
    names.push_back(text_member(pair, "Name"));
  return names;
}

// Reads the values of a configuration. KTT lists the parameters of every configuration in the same order.
std::vector<Value> values_of_ktt(const Json& configuration, const std::vector<std::string>& names) {
  if (configuration.size() != names.size()) throw Malformed("`Configuration` has other parameters than the first one");
  std::vector<Value> values;
  for (const Json& pair : configuration) {
    const std::string& name = names[values.size()];
    if (text_member(pair, "Name") != name)
      throw Malformed(fmt::format("`Configuration` lacks {} in its place", in_quotes(name)));
    values.push_back(value_from_json(member(pair, "Value"), name));
  }
  return values;
}

ResultSet results_of_ktt(const Document& document) {
  const Json& metadata = object_member(document.head, "Metadata");
  const std::optional<double> unit = nanoseconds_per(text_member(metadata, "TimeUnit"));
  if (!unit)
    throw Malformed(fmt::format("`TimeUnit` is not a unit of time: {}", in_quotes(text_member(metadata, "TimeUnit"))));
  const TimePoint time = timestamp_or_epoch(metadata, "Timestamp");
  RecordedTrials trials(names_in_ktt(document));
  for (const Json& result : document.entries)
    trials.add(values_of_ktt(array_member(result, "Configuration"), trials.names()), observation_of_ktt(result, *unit),
               time);
  ResultSet results;
  results.info.kernel_name = document.entries.empty() ? "" : text_or(document.entries.front(), "KernelName", "");
  results.info.kernel_language = text_or(metadata, "ComputeApi", "");
  results.info.device.name = text_or(metadata, "Device", "");
  results.info.device.platform = text_or(metadata, "Platform", "");
  results.info.started_at = time;
  results.info.parameters = trials.parameters();
  results.trials = trials.take();
  return results;
}

}  // namespace

Result<ResultSet> read_ktt(const Document& document, const std::filesystem::path& file) {
  return guard(position_in(file), [&] { return results_of_ktt(document); });
}

}  // namespace wattune::store
