#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interface/printable.h"
#include "store/interface/document.h"
#include "store/recorded.h"
#include "store/winner.h"
#include "wattune/core/version.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

constexpr double kMilliseconds = 1e6;

// --- Reading

struct Measurement {
  std::string name;
  const Json* value;
  std::string unit;
  std::optional<double> uncertainty;
};

std::vector<Measurement> measurements_of(const Json& result) {
  std::vector<Measurement> measurements;
  const Json* list = find_member(result, "measurements");
  if (list == nullptr || !list->is_array()) return measurements;
  for (const Json& entry : *list)
    if (const Json* value = find_member(entry, "value"))
      measurements.push_back({text_or(entry, "name", ""), value, text_or(entry, "unit", ""), uncertainty_in(entry)});
  return measurements;
}

// Returns the measurement of the kernel's time. It is the one named `time`, or else the objective if its unit is a unit
// of time. Returns nullptr if there is no such measurement.
const Measurement* time_measurement(const Json& result, const std::vector<Measurement>& measurements) {
  const auto named = [&](const std::string& name) {
    const auto found =
        std::find_if(measurements.begin(), measurements.end(), [&](const Measurement& m) { return m.name == name; });
    return found == measurements.end() ? nullptr : &*found;
  };
  if (const Measurement* time = named("time")) return time;
  const Json* objectives = find_member(result, "objectives");
  if (objectives == nullptr || !objectives->is_array() || objectives->empty() || !objectives->front().is_string())
    return nullptr;
  const Measurement* objective = named(objectives->front().get<std::string>());
  return objective != nullptr && nanoseconds_per(objective->unit) ? objective : nullptr;
}

double unit_of(const Measurement* time, double otherwise) {
  return time == nullptr ? otherwise : nanoseconds_per(time->unit).value_or(otherwise);
}

class ResultReader {
 public:
  // Makes a reader for times in the file's unit. If that unit is nullopt, each time has its own unit, or else is in
  // milliseconds.
  explicit ResultReader(std::optional<double> file_unit) : file_unit_(file_unit) {}

  Observation read(const Json& result) const {
    const std::vector<Measurement> measurements = measurements_of(result);
    const Measurement* time = time_measurement(result, measurements);
    const double unit = file_unit_.value_or(unit_of(time, kMilliseconds));
    const Json& times = object_member(result, "times");

    Observation observation;
    observation.phases = phases_of(times, unit);
    for (const Measurement& measurement : measurements)
      if (&measurement != time && measurement.value->is_number())
        observation.metrics.push_back(
            {measurement.name, measurement.value->get<double>(), measurement.unit, measurement.uncertainty});
    observation.status = status_of(result);
    observation.message = text_or(result, "message", "");
    if (!observation.ok()) {
      if (observation.message.empty() && time != nullptr && time->value->is_string())
        observation.message = time->value->get<std::string>();
      return observation;
    }
    read_time(observation, times, time, unit, unit_of(time, unit));
    return observation;
  }

 private:
  static Status status_of(const Json& result) {
    const std::string& name = text_member(result, "invalidity");
    const std::optional<Status> status = parse_status(name);
    if (!status) throw Malformed(fmt::format("`invalidity` is not one of T4's: {}", in_quotes(name)));
    return *status;
  }

  static PhaseTimes phases_of(const Json& times, double unit) {
    const auto phase = [&](const char* name, double otherwise) {
      return Nanoseconds(number_or(times, name, otherwise / unit) * unit);
    };
    const Nanoseconds compile = phase("compilation_time", 0.0);
    return {phase("compilation", compile.value()), phase("validation", 0.0), phase("benchmark", 0.0),
            phase("framework", 0.0) + phase("search_algorithm", 0.0)};
  }

  static void read_time(Observation& observation, const Json& times, const Measurement* time, double runtime_unit,
                        double time_unit) {
    const Json* runtimes = find_member(times, "runtimes");
    std::vector<Sample> samples = runtimes == nullptr ? std::vector<Sample>() : samples_in(*runtimes, runtime_unit);
    if (time != nullptr && time->value->is_number())
      return set_times(observation, Nanoseconds(time->value->get<double>() * time_unit), std::move(samples));
    if (samples.empty()) throw Malformed("a correct result has neither a measured time nor `runtimes`");
    const Nanoseconds median = median_of(samples);
    set_times(observation, median, std::move(samples));
  }

  std::optional<double> file_unit_;
};

std::optional<double> file_unit_of(const Json& head) {
  const Json* metadata = find_member(head, "metadata");
  if (metadata == nullptr || find_member(*metadata, "timeunit") == nullptr) return std::nullopt;
  const std::string& name = text_member(*metadata, "timeunit");
  const std::optional<double> unit = nanoseconds_per(name);
  if (!unit) throw Malformed(fmt::format("`timeunit` is not a unit of time: {}", in_quotes(name)));
  return unit;
}

std::vector<Value> values_of_t4(const Json& configuration, const std::vector<std::string>& names) {
  if (configuration.size() != names.size()) throw Malformed("`configuration` has other parameters than the first one");
  return values_by_name(configuration, names);
}

std::vector<std::string> names_in_t4(const Document& document) {
  std::vector<std::string> names;
  if (document.entries.empty()) return names;
  for (const auto& item : object_member(document.entries.front(), "configuration").items()) names.push_back(item.key());
  return names;
}

// Returns the objectives of the first result. If the first objective is the measurement of the kernel's time, it is
// called `time`, whatever its name in the file is.
std::vector<std::string> objectives_in_t4(const Document& document) {
  std::vector<std::string> names;
  if (document.entries.empty()) return names;
  if (const Json* list = find_member(document.entries.front(), "objectives"); list != nullptr && list->is_array())
    for (const Json& name : *list)
      if (name.is_string()) names.push_back(name.get<std::string>());
  for (const Json& result : document.entries) {
    const std::vector<Measurement> measurements = measurements_of(result);
    const Measurement* const time = time_measurement(result, measurements);
    if (time != nullptr && !names.empty() && names.front() == time->name) names.front() = "time";
  }
  return names;
}

RunInfo info_of(const Json& head) {
  RunInfo info;
  if (const Json* metadata = find_member(head, "metadata")) {
    info.kernel_name = text_or(*metadata, "kernel_name", "");
    info.device.name = text_or(*metadata, "device_name", "");
    info.problem_size = text_or(*metadata, "problem_size", "");
    info.wattune_version = text_or(*metadata, "wattune_version", "");
  }
  return info;
}

ResultSet results_of_t4(const Document& document) {
  const ResultReader reader(file_unit_of(document.head));
  RecordedTrials trials(names_in_t4(document));
  for (std::size_t i = 0; i < document.entries.size(); ++i) {
    const Json& result = document.entries[i];
    try {
      trials.add(values_of_t4(object_member(result, "configuration"), trials.names()), reader.read(result),
                 timestamp_or_epoch(result, "timestamp"));
    } catch (const Malformed& malformed) {
      throw Malformed(fmt::format("result {}: {}", i + 1, malformed.what()));
    }
  }
  ResultSet results;
  results.info = info_of(document.head);
  results.info.parameters = trials.parameters();
  results.trials = trials.take();
  const Json* const metadata = find_member(document.head, "metadata");
  restore_winner(results, metadata == nullptr ? Json() : *metadata, document.entries, objectives_in_t4(document));
  if (!results.trials.empty()) results.info.started_at = results.trials.front().finished_at;
  return results;
}

// --- Writing

Json measurement(const std::string& name, Json value, const std::string& unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

Json times_of(const Observation& observation) {
  const double compilation = in_ms(observation.phases.compile);
  return {{"compilation", compilation},       // the name that Kernel Tuner writes for the time of compilation
          {"compilation_time", compilation},  // the name in the schema for the same time
          {"benchmark", in_ms(observation.phases.measure)},
          {"framework", in_ms(observation.phases.overhead)},
          {"search_algorithm", 0},
          {"validation", in_ms(observation.phases.check)},
          {"runtimes", samples_in_ms(observation.samples)}};
}

Json measurements_of(const Observation& observation) {
  Json list = Json::array();
  if (observation.ok())
    list.push_back(measurement("time", in_ms(observation.statistics->median), "ms"));
  else
    list.push_back(measurement("time", kernel_tuner_error(observation.status), ""));
  for (const Metric& metric : exported_metrics(observation)) {
    list.push_back(measurement(metric.name, metric.value, metric.unit));
    if (metric.uncertainty) list.back()["uncertainty"] = *metric.uncertainty;  // the schema allows an uncertainty
  }
  return list;
}

Json names_of(const std::vector<Objective>& objectives) {
  Json names = Json::array();
  for (const Objective& each : objectives) names.push_back(each.metric);
  if (names.empty()) names.push_back("time");
  return names;
}

Json result_of(const Trial& trial, const RunInfo& info) {
  const Observation observation = as_searched(trial.observation, info);
  Json result = {{"timestamp", format_python_timestamp(trial.finished_at)},
                 {"configuration", configuration_to_json(trial.configuration)},
                 {"objectives", names_of(info.objectives)},
                 {"times", times_of(observation)},
                 {"invalidity", to_string(observation.status)},
                 {"correctness", observation.ok() ? 1 : 0},
                 {"measurements", measurements_of(observation)}};
  if (!observation.message.empty()) result["message"] = observation.message;
  if (Json own = to_json(winner_figures(trial.observation)); !own.empty()) result[kOwnMember] = std::move(own);
  return result;
}

}  // namespace

Result<ResultSet> read_t4(const Document& document, const std::filesystem::path& file) {
  return guard(position_in(file), [&] { return results_of_t4(document); });
}

Result<ResultSet> parse_t4(std::string_view text, const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const Document document, parse_document(text, file));
  if (document.section != "results" || find_member(document.head, "results") == nullptr)
    return Error(ErrorCode::parse_error, "not a T4 file: it has no `results`").at(position_in(file));
  return read_t4(document, file);
}

std::string write_t4(const ResultSet& results) {
  Json metadata = {{"timeunit", "milliseconds"},
                   {"kernel_name", results.info.kernel_name},
                   {"device_name", results.info.device.name},
                   {"problem_size", results.info.problem_size},
                   {"wattune_version", kVersion},
                   {kObjectives, objectives_to_json(results.info.objectives)}};
  std::string text = "{\"schema_version\":\"1.0.0\",\"metadata\":" + dump(metadata) + ",\"results\":[";
  const char* separator = "\n";
  for (const Trial& trial : results.trials) {
    if (trial.observation.status == Status::not_recorded) continue;
    text += separator + dump(result_of(trial, results.info));
    separator = ",\n";
  }
  return text += "\n]}\n";
}

}  // namespace wattune::store
