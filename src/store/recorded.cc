#include "store/recorded.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/interface/value_hash.h"

namespace wattune::inline v0_1::store {

namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array<Unit, 15> kUnits{{{"ns", 1},
                                       {"nanosecond", 1},
                                       {"nanoseconds", 1},
                                       {"us", 1e3},
                                       {"\xC2\xB5s", 1e3},  // with a micro sign
                                       {"microsecond", 1e3},
                                       {"microseconds", 1e3},
                                       {"ms", 1e6},
                                       {"millisecond", 1e6},
                                       {"milliseconds", 1e6},
                                       {"miliseconds", 1e6},  // spelt as in files of the auto-tuning benchmark hub
                                       {"s", 1e9},
                                       {"sec", 1e9},
                                       {"second", 1e9},
                                       {"seconds", 1e9}}};

struct ErrorName {
  std::string_view name;
  Status status;
};
constexpr std::array<ErrorName, 4> kErrorNames{{{"InvalidConfig", Status::constraints},
                                                {"CompilationFailedConfig", Status::compile},
                                                {"RuntimeFailedConfig", Status::runtime},
                                                {"ErrorConfig", Status::runtime}}};

void refuse_unmeasurable(Nanoseconds time) {
  if (is_measurable(time)) return;
  throw Malformed(time < Nanoseconds() ? "the time is negative" : "the time is too large");
}

}  // namespace

std::vector<Metric> exported_metrics(const Observation& observation) {
  std::vector<Metric> metrics = observation.metrics;
  if (const auto& gain = observation.over_default)
    for (const auto& [name, value] : {std::pair("over_default", gain->median), std::pair("over_default_low", gain->low),
                                      std::pair("over_default_high", gain->high)})
      metrics.push_back({name, value, ""});
  std::erase_if(metrics, [](const Metric& metric) { return !std::isfinite(metric.value); });
  return metrics;
}

Json configuration_to_json(const Configuration& configuration) {
  Json object = Json::object();
  for (std::size_t i = 0; i < configuration.values().size(); ++i)
    object[configuration.names()[i]] = value_to_json(configuration.values()[i]);
  return object;
}

std::vector<Value> values_by_name(const Json& object, const std::vector<std::string>& names) {
  std::vector<Value> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(value_from_json(member(object, name.c_str()), name));
  return values;
}

std::optional<double> nanoseconds_per(std::string_view unit) {
  std::string lower(unit);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  for (const Unit& known : kUnits)
    if (known.name == lower) return known.nanoseconds;
  return std::nullopt;
}

Json samples_in_ms(const std::vector<Sample>& samples) {
  Json times = Json::array();
  for (const Sample& sample : samples) times.push_back(in_ms(sample.time));
  return times;
}

std::vector<Sample> samples_in(const Json& times, double nanoseconds_per_unit) {
  std::vector<Sample> samples;
  if (!times.is_array()) return samples;
  samples.reserve(times.size());
  for (const Json& time : times)
    if (time.is_number()) samples.push_back({Nanoseconds(time.get<double>() * nanoseconds_per_unit)});
  return samples;
}

void set_times(Observation& observation, Nanoseconds objective, std::vector<Sample> samples) {
  refuse_unmeasurable(objective);
  for (const Sample& sample : samples) refuse_unmeasurable(sample.time);
  if (objective == Nanoseconds()) {
    observation.status = Status::runtime;
    observation.message = kTookNoTime;
    return;
  }
  Statistics statistics{objective, objective, objective, objective, objective, {}};
  if (!samples.empty()) {
    const auto sum = std::accumulate(samples.begin(), samples.end(), Nanoseconds(),
                                     [](Nanoseconds total, const Sample& sample) { return total + sample.time; });
    statistics.mean = sum / static_cast<double>(samples.size());
    statistics.minimum = std::min_element(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
                           return a.time < b.time;
                         })->time;
  }
  observation.status = Status::correct;
  observation.statistics = statistics;
  observation.samples = std::move(samples);
}

Nanoseconds median_of(std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.time < b.time; });
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle].time : (samples[middle - 1].time + samples[middle].time) * 0.5;
}

Status status_of_kernel_tuner_error(std::string_view name) {
  for (const ErrorName& known : kErrorNames)
    if (known.name == name) return known.status;
  return Status::runtime;
}

std::string_view kernel_tuner_error(Status status) {
  for (const ErrorName& known : kErrorNames)
    if (known.status == status) return known.name;
  return "RuntimeFailedConfig";
}

TimePoint timestamp_or_epoch(const Json& entry, const char* name) {
  return parse_timestamp(text_or(entry, name, "")).value_or(TimePoint());
}

RecordedTrials::RecordedTrials(std::vector<std::string> names)
    : names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}

void RecordedTrials::add(std::vector<Value> values, Observation observation, TimePoint finished_at) {
  const ConfigurationId id = trials_.size();
  trials_.push_back({Configuration(id, names_, std::move(values)), std::move(observation), finished_at});
}

std::vector<Parameter> RecordedTrials::parameters() const {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < names_->size(); ++i) {
    Parameter parameter;
    parameter.name = (*names_)[i];
    parameter.role = usual_role(parameter.name);
    std::unordered_set<Value, ValueHash> seen;
    for (const Trial& trial : trials_)
      if (const Value& value = trial.configuration.values()[i]; seen.insert(value).second)
        parameter.values.push_back(value);
    const auto first_text = std::stable_partition(parameter.values.begin(), parameter.values.end(),
                                                  [](const Value& value) { return value.is_number(); });
    std::sort(parameter.values.begin(), first_text,
              [](const Value& a, const Value& b) { return a.as_real() < b.as_real(); });
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace wattune::store
