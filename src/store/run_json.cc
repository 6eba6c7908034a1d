#include "store/run_json.h"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <memory>

#include "core/interface/printable.h"
#include "store/final_json.h"
#include "store/json_text.h"
#include "store/plausible.h"
#include "store/recorded.h"
#include "store/winner.h"

namespace wattune::inline v0_1::store {

namespace {

constexpr std::size_t kMaxBuildLogBytes = 16 * 1024;
constexpr const char* kFormerNameOfObjective = "target";

Json device_to_json(const DeviceInfo& device) {
  Json json = Json::object();
  for_each_field(device, [&](const char* name, const auto& value) { json[name] = in_files(value); });
  json["kind"] = to_string(device.kind);
  return json;
}

void read_field(const Json& json, const char* name, std::string& text) { text = text_member(json, name); }
void read_field(const Json& json, const char* name, double& number) { number = number_member(json, name); }
template <std::unsigned_integral T>
void read_field(const Json& json, const char* name, T& count) {
  count = static_cast<T>(count_member(json, name));
}
void read_field(const Json& json, const char* name, std::array<std::size_t, 3>& sizes) {
  const Json& array = array_member(json, name);
  for (std::size_t i = 0; i < std::min(array.size(), sizes.size()); ++i)
    if (array[i].is_number_unsigned()) sizes[i] = array[i].get<std::size_t>();
}
void read_field(const Json& json, const char* name, std::vector<std::string>& texts) {
  const Json* array = find_member(json, name);
  if (array == nullptr || !array->is_array()) return;
  for (const Json& text : *array)
    if (text.is_string()) texts.push_back(text.get<std::string>());
}
void read_field(const Json& json, const char* name, DeviceKind& kind) {
  const std::string& text = text_member(json, name);
  for (const DeviceKind each : {DeviceKind::cpu, DeviceKind::gpu, DeviceKind::accelerator, DeviceKind::simulated})
    if (text == to_string(each)) {
      kind = each;
      return;
    }
  throw Malformed(fmt::format("`{}` is not a kind of device: {}", name, in_quotes(text)));
}

template <typename T>
void read_field(const Json& json, const char* name, std::optional<T>& fact) {
  T value{};
  read_field(json, name, value);
  if (value != T{}) fact = value;
}

DeviceInfo device_from_json(const Json& json) {
  DeviceInfo device;
  // Files of older versions lack the device's place on the PCI bus.
  const auto is_lacking = [&](std::string_view name) {
    return name == "pci_bus_id" && find_member(json, "pci_bus_id") == nullptr;
  };
  for_each_field(device, [&](const char* name, auto& value) {
    if (!is_lacking(name)) read_field(json, name, value);
  });
  return device;
}

Json values_to_json(const std::vector<Value>& values) {
  Json json = Json::array();
  for (const Value& value : values) json.push_back(value_to_json(value));
  return json;
}

std::vector<Value> values_from_json(const Json& json, std::string_view name) {
  std::vector<Value> values;
  for (const Json& value : json) values.push_back(value_from_json(value, name));
  return values;
}

Json parameters_to_json(const std::vector<Parameter>& parameters) {
  Json json = Json::array();
  for (const Parameter& parameter : parameters) {
    Json entry = {{"name", parameter.name}, {"values", values_to_json(parameter.values)}};
    if (parameter.default_value) entry["default"] = value_to_json(*parameter.default_value);
    if (parameter.role != ParameterRole::code) entry["role"] = to_string(parameter.role);
    json.push_back(std::move(entry));
  }
  return json;
}

// Reads the role of a parameter. The role is `code` in files of versions that had no roles.
ParameterRole role_from_json(const Json& entry) {
  if (find_member(entry, "role") == nullptr) return ParameterRole::code;
  const std::string& name = text_member(entry, "role");
  const std::optional<ParameterRole> role = parse_parameter_role(name);
  if (!role) throw Malformed(fmt::format("`role` has a value that Wattune does not know: {}", in_quotes(name)));
  return *role;
}

std::vector<Parameter> parameters_from_json(const Json& json) {
  std::vector<Parameter> parameters;
  for (const Json& entry : json) {
    Parameter parameter;
    parameter.name = text_member(entry, "name");
    parameter.values = values_from_json(array_member(entry, "values"), parameter.name);
    if (const Json* value = find_member(entry, "default"))
      parameter.default_value = value_from_json(*value, parameter.name);
    parameter.role = role_from_json(entry);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Identity identity_from_json(const Json& json) {
  Identity identity;
  for (const auto& part : json.items()) identity[part.key()] = text_member(json, part.key().c_str());
  return identity;
}

TimePoint time_member(const Json& object, const char* name) {
  const std::optional<TimePoint> time = parse_timestamp(text_member(object, name));
  if (!time)
    throw Malformed(fmt::format("`{}` is not a point in time: {}", name, in_quotes(text_member(object, name))));
  return *time;
}

void append_build_log(std::string& out, std::string_view log) {
  if (log.size() <= kMaxBuildLogBytes) return append_json_string(out, log);
  const std::string note = fmt::format("\n[{} more bytes left out]", log.size() - kMaxBuildLogBytes);
  append_json_string(out, std::string(log.substr(0, kMaxBuildLogBytes)) + note);
}

void append_numbers(std::string& out, std::initializer_list<Nanoseconds> times) {
  out += '[';
  for (const Nanoseconds& time : times) {
    if (&time != times.begin()) out += ',';
    append_json_number(out, time.value());
  }
  out += ']';
}

void append_samples(std::string& out, const std::vector<Sample>& samples) {
  out += '[';
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i > 0) out += ',';
    append_json_number(out, samples[i].time.value());
  }
  out += ']';
}

// Appends the known conditions of the samples: the clocks (0 for an unknown clock), and the positions of throttled
// samples.
void append_conditions(std::string& out, const std::vector<Sample>& samples) {
  if (std::ranges::any_of(samples, [](const Sample& sample) { return sample.clock.has_value(); })) {
    out += ",\"clocks_mhz\":[";
    for (const Sample& sample : samples) {
      if (&sample != &samples.front()) out += ',';
      append_json_number(out, sample.clock.value_or(Megahertz()).value());
    }
    out += ']';
  }
  if (std::ranges::count(samples, true, &Sample::throttled) == 0) return;
  out += ",\"throttled\":[";
  const char* separator = "";
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].throttled) continue;
    out += fmt::format("{}{}", separator, i);
    separator = ",";
  }
  out += ']';
}

void append_statistics(std::string& out, const Statistics& statistics) {
  const auto append = [&out](std::string_view name, double value) {
    out += name;
    append_json_number(out, value);
  };
  append("{\"median\":", statistics.median.value());
  append(",\"interval_low\":", statistics.interval_low.value());
  append(",\"interval_high\":", statistics.interval_high.value());
  append(",\"mean\":", statistics.mean.value());
  append(",\"minimum\":", statistics.minimum.value());
  append(",\"confidence\":", statistics.confidence.value_or(0.0));
  out += '}';
}

void append_metrics(std::string& out, const std::vector<Metric>& metrics) {
  out += '[';
  for (const Metric& metric : metrics) {
    out += &metric == &metrics.front() ? "{\"name\":" : ",{\"name\":";
    append_json_string(out, metric.name);
    out += ",\"value\":";
    append_json_number(out, metric.value);
    out += ",\"unit\":";
    append_json_string(out, metric.unit);
    if (metric.uncertainty) {
      out += ",\"uncertainty\":";
      append_json_number(out, *metric.uncertainty);
    }
    out += '}';
  }
  out += ']';
}

Statistics statistics_from_json(const Json& json) {
  const auto number = [&json](const char* name) {
    const double value = number_member(json, name);
    if (std::isnan(value)) throw Malformed(fmt::format("`{}` must be a number", name));
    return value;
  };
  const auto time = [&number](const char* name) { return Nanoseconds(number(name)); };
  Statistics statistics{time("median"), time("interval_low"), time("interval_high"), time("mean"), time("minimum")};
  if (const double confidence = number("confidence"); confidence != 0.0) statistics.confidence = confidence;
  return statistics;
}

std::vector<Sample> samples_from_json(const Json& json) {
  std::vector<Sample> samples;
  samples.reserve(json.size());
  for (const Json& time : json) {
    if (!time.is_number()) throw Malformed("`samples` may only hold numbers");
    samples.push_back({Nanoseconds(time.get<double>())});
  }
  return samples;
}

void read_conditions(const Json& object, std::vector<Sample>& samples) {
  if (const Json* clocks = find_member(object, "clocks_mhz")) {
    const auto is_number = [](const Json& clock) { return clock.is_number(); };
    if (!clocks->is_array() || clocks->size() != samples.size() || !std::ranges::all_of(*clocks, is_number))
      throw Malformed("`clocks_mhz` must hold a number for each sample");
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (const double clock = (*clocks)[i].get<double>(); clock > 0.0) samples[i].clock = Megahertz(clock);
  }
  if (const Json* throttled = find_member(object, "throttled")) {
    const auto is_place = [&](const Json& i) {
      return i.is_number_unsigned() && i.get<std::size_t>() < samples.size();
    };
    if (!throttled->is_array() || !std::ranges::all_of(*throttled, is_place))
      throw Malformed("`throttled` may only hold positions of samples");
    for (const Json& i : *throttled) samples[i.get<std::size_t>()].throttled = true;
  }
}

std::vector<Metric> metrics_from_json(const Json& json) {
  std::vector<Metric> metrics;
  for (const Json& metric : json)
    metrics.push_back({text_member(metric, "name"), number_member(metric, "value"), text_member(metric, "unit"),
                       uncertainty_in(metric)});
  return metrics;
}

PhaseTimes phases_from_json(const Json& json) {
  if (json.size() != 3 || !std::all_of(json.begin(), json.end(), [](const Json& time) { return time.is_number(); }))
    throw Malformed("`phases` must be three numbers");
  return {Nanoseconds(json[0].get<double>()), Nanoseconds(json[1].get<double>()), Nanoseconds(json[2].get<double>())};
}

}  // namespace

void add_run_info(Json& object, const RunInfo& info) {
  object["wattune_version"] = info.wattune_version;
  object["started_at"] = format_timestamp(info.started_at);
  object["kernel_name"] = info.kernel_name;
  object["kernel_language"] = info.kernel_language;
  object["problem_size"] = info.problem_size;
  object["space_hash"] = info.space_hash;
  object["identity"] = info.identity;
  object["device"] = device_to_json(info.device);
  object["parameters"] = parameters_to_json(info.parameters);
  object["constraints"] = info.constraints;
  object["default_values"] = values_to_json(info.default_values);
  if (!info.objectives.empty()) object["objectives"] = objectives_to_json(info.objectives);
}

RunInfo run_info_from_json(const Json& object) {
  RunInfo info;
  info.wattune_version = text_member(object, "wattune_version");
  info.started_at = time_member(object, "started_at");
  info.kernel_name = text_member(object, "kernel_name");
  info.kernel_language = text_member(object, "kernel_language");
  info.problem_size = text_member(object, "problem_size");
  info.space_hash = text_member(object, "space_hash");
  if (find_member(object, "identity") != nullptr) info.identity = identity_from_json(object_member(object, "identity"));
  info.device = device_from_json(object_member(object, "device"));
  info.parameters = parameters_from_json(array_member(object, "parameters"));
  for (const Json& constraint : array_member(object, "constraints")) {
    if (!constraint.is_string()) throw Malformed("`constraints` may only hold texts");
    info.constraints.push_back(constraint.get<std::string>());
  }
  info.default_values = values_from_json(array_member(object, "default_values"), "default_values");
  if (const Json* objectives = find_member(object, "objectives")) info.objectives = objectives_from_json(*objectives);
  if (!info.default_values.empty() && info.default_values.size() != info.parameters.size())
    throw Malformed("`default_values` must have one value for each parameter");
  return info;
}

void append_measured(std::string& out, const Trial& trial) {
  const Observation& observation = trial.observation;
  out += "\"status\":\"";
  out += to_string(observation.status);
  out += '"';
  if (!observation.message.empty()) {
    out += ",\"message\":";
    append_json_string(out, observation.message);
  }
  if (!observation.build_log.empty()) {
    out += ",\"build_log\":";
    append_build_log(out, observation.build_log);
  }
  out += observation.verified ? ",\"verified\":true,\"samples\":" : ",\"verified\":false,\"samples\":";
  append_samples(out, observation.samples);
  append_conditions(out, observation.samples);
  if (observation.statistics) {
    out += ",\"statistics\":";
    append_statistics(out, *observation.statistics);
  }
  out += ",\"metrics\":";
  append_metrics(out, observation.metrics);
  if (!observation.lacking.empty()) {
    out += ",\"lacking\":";
    append_json_string(out, observation.lacking);
  }
  if (observation.objective_value) {
    out += ",\"objective\":";
    append_json_number(out, *observation.objective_value);
  }
  append_final(out, observation);
  out += ",\"phases\":";
  append_numbers(out, {observation.phases.compile, observation.phases.check, observation.phases.measure});
  if (observation.phases.overhead != Nanoseconds()) {
    out += ",\"overhead\":";
    append_json_number(out, observation.phases.overhead.value());
  }
  if (!trial.device.empty()) {
    out += ",\"device\":";
    append_json_string(out, trial.device);
  }
  out += ",\"finished_at\":\"";
  append_timestamp(out, trial.finished_at);
  out += '"';
}

Measured measured_from_json(const Json& object) {
  Measured measured;
  Observation& observation = measured.observation;
  const std::string& name = text_member(object, "status");
  const std::optional<Status> status = parse_status(name);
  if (!status) throw Malformed(fmt::format("`status` has a value that Wattune does not know: {}", in_quotes(name)));
  observation.status = *status;
  observation.message = text_or(object, "message", "");
  observation.build_log = text_or(object, "build_log", "");
  observation.verified = flag_member(object, "verified");
  observation.samples = samples_from_json(array_member(object, "samples"));
  read_conditions(object, observation.samples);
  if (const Json* statistics = find_member(object, "statistics"))
    observation.statistics = statistics_from_json(*statistics);
  if (observation.ok() != observation.statistics.has_value())
    throw Malformed("`statistics` must be there exactly when `status` is correct");
  observation.metrics = metrics_from_json(array_member(object, "metrics"));
  observation.lacking = text_or(object, "lacking", "");
  observation.phases = phases_from_json(array_member(object, "phases"));
  observation.phases.overhead = Nanoseconds(number_or(object, "overhead", 0.0));
  for (const char* member : {"objective", kFormerNameOfObjective})
    if (find_member(object, member) != nullptr) observation.objective_value = objective_member(object, member);
  read_final(object, observation);
  if (const std::string why = implausible(observation); !why.empty()) throw Malformed(why);
  measured.finished_at = time_member(object, "finished_at");
  measured.device = text_or(object, "device", "");
  return measured;
}

ConfigurationId id_from_json(const Json& object) {
  const std::string& text = text_member(object, "id");
  const std::optional<ConfigurationId> id = parse_uint128(text);
  if (!id) throw Malformed(fmt::format("`id` must be a number in decimal digits: {}", in_quotes(text)));
  return *id;
}

Configuration::Names names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace wattune::store
