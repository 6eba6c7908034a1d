#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/interface/printable.h"
#include "store/interface/document.h"
#include "store/recorded.h"
#include "store/winner.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

constexpr double kNanosecondsPerMs = 1e6;
// The time that Kernel Tuner recorded for a failure before it had names for kinds of failures.
constexpr double kFailureTime = 1e20;
// Keys of an entry whose values are numbers but not metrics.
constexpr std::array<std::string_view, 6> kPhaseKeys = {"time",           "compile_time",  "verification_time",
                                                        "benchmark_time", "strategy_time", "framework_time"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// --- Reading

std::vector<std::string> parameter_names(const Json& head) {
  std::vector<std::string> names;
  for (const Json& name : array_member(head, "tune_params_keys")) {
    if (!name.is_string()) throw Malformed("`tune_params_keys` may only hold texts");
    names.push_back(name.get<std::string>());
  }
  return names;
}

// Returns the parameters with the values of `tune_params`, or with the values in the entries if a list is missing.
std::vector<Parameter> declared_parameters(const Json& head, const RecordedTrials& trials) {
  std::vector<Parameter> parameters = trials.parameters();
  const Json* lists = find_member(head, "tune_params");
  for (Parameter& parameter : parameters) {
    const Json* list = lists == nullptr ? nullptr : find_member(*lists, parameter.name.c_str());
    if (list == nullptr || !list->is_array()) continue;
    parameter.values.clear();
    for (const Json& value : *list) parameter.values.push_back(value_from_json(value, parameter.name));
  }
  return parameters;
}

// Returns the name of the failure that an entry records, or nullptr if it records none. The name's key is __error__. In
// older files, it is the key of the time or of an objective.
const Json* failure_of(const Json& entry, const std::vector<std::string>& objectives) {
  if (const Json* error = find_member(entry, "__error__")) return error;
  if (const Json* time = find_member(entry, "time"); time != nullptr && time->is_string()) return time;
  for (const std::string& objective : objectives)
    if (const Json* value = find_member(entry, objective.c_str()); value != nullptr && value->is_string()) return value;
  return nullptr;
}

bool has_failure_time(const Json& entry, const std::string& name) {
  return number_or(entry, name.c_str(), 0.0) >= kFailureTime;
}

PhaseTimes phases_of(const Json& entry) {
  const auto phase = [&entry](const char* name) { return nanoseconds_from_ms(number_or(entry, name, 0.0)); };
  return {phase("compile_time"), phase("verification_time"), phase("benchmark_time"),
          phase("framework_time") + phase("strategy_time")};
}

std::vector<Metric> metrics_of(const Json& entry, const std::vector<std::string>& names) {
  std::vector<Metric> metrics;
  for (const auto& [key, value] : entry.items())
    if (value.is_number() && !contains(names, key) && !contains(kPhaseKeys, key))
      metrics.push_back({key, value.get<double>(), ""});
  return metrics;
}

Observation observation_of(const Json& entry, const std::vector<std::string>& names,
                           const std::vector<std::string>& objectives) {
  Observation observation;
  observation.phases = phases_of(entry);
  observation.metrics = metrics_of(entry, names);
  if (const Json* failure = failure_of(entry, objectives)) {
    observation.message = failure->is_string() ? failure->get<std::string>() : dump(*failure);
    observation.status = status_of_kernel_tuner_error(observation.message);
    if (const auto status = parse_status(text_or(entry, "invalidity", "")); status && *status != Status::correct)
      observation.status = *status;
    observation.message = text_or(entry, "message", observation.message);
    return observation;
  }
  const Json* time = find_member(entry, "time");
  if (time == nullptr)
    throw Malformed(fmt::format("there is no `time`; the file ranks by {}", in_quotes(objectives.front())));
  if (!time->is_number() || has_failure_time(entry, "time") || has_failure_time(entry, objectives.front())) {
    observation.status = Status::runtime;
    observation.message = "no time was recorded";
    return observation;
  }
  const Json* times = find_member(entry, "times");
  set_times(observation, nanoseconds_from_ms(time->get<double>()),
            times == nullptr ? std::vector<Sample>() : samples_in(*times, kNanosecondsPerMs));
  return observation;
}

// Formats a problem size, for example [4096, 4096] as "4096, 4096".
std::string problem_size_text(const Json& head) {
  const Json* size = find_member(head, "problem_size");
  if (size == nullptr || size->is_null()) return {};
  if (size->is_string()) return size->get<std::string>();
  if (!size->is_array()) return dump(*size);
  std::string text;
  for (const Json& extent : *size) text += (text.empty() ? "" : ", ") + dump(extent);
  return text;
}

// Returns the names of the objectives of the file, which are at least one. Since Kernel Tuner 1.4, files contain a list
// of objectives.
std::vector<std::string> objectives_in(const Json& head) {
  std::vector<std::string> names;
  const Json* objective = find_member(head, "objective");
  if (objective != nullptr && objective->is_string()) names.push_back(objective->get<std::string>());
  if (objective != nullptr && objective->is_array())
    for (const Json& each : *objective)
      if (each.is_string()) names.push_back(each.get<std::string>());
  if (names.empty()) names.emplace_back("time");
  return names;
}

ResultSet read_entries(const Document& document) {
  ResultSet results;
  const std::vector<std::string> objectives = objectives_in(document.head);
  RecordedTrials trials(parameter_names(document.head));
  trials.reserve(document.entries.size());
  for (std::size_t i = 0; i < document.entries.size(); ++i) {
    const Json& entry = document.entries[i];
    try {
      trials.add(values_by_name(entry, trials.names()), observation_of(entry, trials.names(), objectives),
                 timestamp_or_epoch(entry, "timestamp"));
    } catch (const Malformed& malformed) {
      throw Malformed(fmt::format("configuration {} of `cache`: {}", i + 1, malformed.what()));
    }
  }
  results.info.kernel_name = text_or(document.head, "kernel_name", "");
  results.info.device.name = text_or(document.head, "device_name", "");
  results.info.problem_size = problem_size_text(document.head);
  results.info.parameters = declared_parameters(document.head, trials);
  results.trials = trials.take();
  restore_winner(results, document.head, document.entries, objectives);
  if (!results.trials.empty()) results.info.started_at = results.trials.front().finished_at;
  return results;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

// Parses a file without its closing braces, as Kernel Tuner leaves it while it runs. A killed Kernel Tuner may leave
// half a line.
Result<Document> parse_unclosed(std::string_view text) {
  const auto close = [](std::string_view open) {
    if (open.ends_with(',')) open.remove_suffix(1);
    return parse_document(std::string(open) + "}\n}", {});
  };
  Result<Document> document = close(trimmed(text));
  if (document) return document;
  const std::size_t line = trimmed(text).rfind('\n');
  return line == std::string_view::npos ? document : close(trimmed(text.substr(0, line)));
}

// --- Writing

// Converts a problem size to JSON. Writes "4096, 4096" and "4096 x 4096" as [4096,4096], a single number as a number,
// and anything else as text.
Json problem_size_json(const std::string& text) {
  if (text.find_first_not_of("0123456789,x[]() ") != std::string::npos) return text;
  Json extents = Json::array();
  for (std::size_t begin = text.find_first_of("0123456789"); begin != std::string::npos;
       begin = text.find_first_of("0123456789", begin)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const Json extent = Json::parse(text.substr(begin, end - begin), nullptr, false);
    if (!extent.is_number_unsigned()) return text;
    extents.push_back(extent);
    begin = end;
  }
  return extents.size() == 1 ? extents.front() : extents;
}

Error taken_name(std::string_view kind, const std::string& name) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("a cache of Kernel Tuner has another member of the name of this {}", kind))
      .about(name)
      .hint("write another format");
}

// True if an entry has a member of this name that is not a metric.
bool is_own_key(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOthers = {"times",      "timestamp", "__error__",
                                                       "invalidity", "message",   kOwnMember};
  return contains(kPhaseKeys, name) || contains(kOthers, name);
}

// Returns a configuration's entry in the cache. Fails with invalid_argument if a parameter or metric has the name of
// another member.
Result<Json> entry_of(const Trial& trial, const RunInfo& info) {
  Json entry = configuration_to_json(trial.configuration);
  for (const std::string& name : trial.configuration.names())
    if (is_own_key(name)) return taken_name("parameter", name);
  const Observation observation = as_searched(trial.observation, info);
  if (observation.ok()) {
    entry["time"] = in_ms(observation.statistics->median);
    entry["times"] = samples_in_ms(observation.samples);
  } else {
    entry["__error__"] = kernel_tuner_error(observation.status);
    entry["invalidity"] = to_string(observation.status);
    if (!observation.message.empty()) entry["message"] = observation.message;
  }
  entry["compile_time"] = in_ms(observation.phases.compile);
  entry["verification_time"] = in_ms(observation.phases.check);
  entry["benchmark_time"] = in_ms(observation.phases.measure);
  entry["strategy_time"] = 0;
  entry["framework_time"] = in_ms(observation.phases.overhead);
  for (const Metric& metric : exported_metrics(observation)) {
    if (entry.contains(metric.name) || is_own_key(metric.name)) return taken_name("metric", metric.name);
    entry[metric.name] = metric.value;
  }
  if (Json own = to_json(winner_figures(trial.observation)); !own.empty()) entry[kOwnMember] = std::move(own);
  entry["timestamp"] = format_python_timestamp(trial.finished_at);
  return entry;
}

// Returns the key of a configuration, as Kernel Tuner makes it. Keys are ambiguous if a value is a text with commas.
std::string key_of(const Configuration& configuration) {
  std::string key;
  for (const Value& value : configuration.values()) key += (key.empty() ? "" : ",") + value.to_string();
  return key;
}

Json head_of(const RunInfo& info) {
  Json head;
  head["device_name"] = info.device.name;
  head["kernel_name"] = info.kernel_name;
  head["problem_size"] = problem_size_json(info.problem_size);
  head["tune_params_keys"] = Json::array();
  head["tune_params"] = Json::object();
  for (const Parameter& parameter : info.parameters) {
    head["tune_params_keys"].push_back(parameter.name);
    Json& values = head["tune_params"][parameter.name] = Json::array();
    for (const Value& value : parameter.values) values.push_back(value_to_json(value));
  }
  head["objective"] = "time";
  if (info.objectives.size() == 1) head["objective"] = info.objectives.front().metric;
  if (info.objectives.size() > 1) {
    head["objective"] = Json::array();
    for (const Objective& each : info.objectives) head["objective"].push_back(each.metric);
  }
  head[kObjectives] = objectives_to_json(info.objectives);
  return head;
}

}  // namespace

Result<ResultSet> read_kernel_tuner_cache(const Document& document, const std::filesystem::path& file) {
  return guard(position_in(file), [&] { return read_entries(document); });
}

Result<ResultSet> parse_kernel_tuner_cache(std::string_view text, const std::filesystem::path& file) {
  Result<Document> document = parse_document(text, file);
  if (!document)
    if (Result<Document> repaired = parse_unclosed(text)) document = std::move(repaired);
  if (!document) return std::move(document).error();
  if (document->section != "cache")
    return Error(ErrorCode::parse_error, "not a cache of Kernel Tuner: it has no `cache`").at(position_in(file));
  return read_kernel_tuner_cache(*document, file);
}

Result<std::string> write_kernel_tuner_cache(const ResultSet& results) {
  std::string text = dump(head_of(results.info));
  text.back() = ',';
  text += "\n\"cache\": {";
  const char* separator = "\n";
  for (const Trial& trial : results.trials) {
    if (trial.observation.status == Status::not_recorded) continue;
    WATTUNE_ASSIGN(const Json entry, entry_of(trial, results.info));
    text += separator + dump(Json(key_of(trial.configuration))) + ": " + dump(entry);
    separator = ",\n";
  }
  return text += "}\n}";  // Kernel Tuner requires exactly this end of the text
}

}  // namespace wattune::store
