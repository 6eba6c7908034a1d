#include "cli/program/json.h"

#include "cli/program/checked.h"

namespace wattune::cli {

Json to_json(Uint128 value) {
  if (value <= std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(value);
  return to_string(value);
}

Json to_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer: return value.as_integer();
    case Value::Kind::real: return value.as_real();
    case Value::Kind::boolean: return value.as_integer() != 0;
    case Value::Kind::string: return value.as_string();
  }
  return nullptr;
}

Json to_json(const Configuration& configuration) {
  Json json = Json::object();
  for (std::size_t i = 0; i < configuration.names().size(); ++i) {
    json[configuration.names()[i]] = to_json(configuration.values()[i]);
  }
  return json;
}

Json to_json(const DeviceInfo& device) {
  Json json = Json::object();
  for_each_field(device, [&](const char* name, const auto& value) { json[name] = in_files(value); });
  json["kind"] = to_string(device.kind);
  return json;
}

Json to_json(const std::map<Status, std::uint64_t>& by_status) {
  Json json = Json::object();
  for (const Status status : kAllStatuses) {
    const auto found = by_status.find(status);
    json[std::string(to_string(status))] = found == by_status.end() ? 0 : found->second;
  }
  return json;
}

Json to_json(const Trial& trial) {
  const Statistics& statistics = *trial.observation.statistics;
  Json metrics = Json::object();
  Json uncertainties = Json::object();
  for (const Metric& metric : trial.observation.metrics) {
    metrics[metric.name] = metric.value;
    if (metric.uncertainty) uncertainties[metric.name] = *metric.uncertainty;
  }
  Json json = {{"configuration", to_json(trial.configuration)},
               {"objective", trial.observation.objective()},
               {"time_ms", to_ms(statistics.median)},
               {"interval_ms", {to_ms(statistics.interval_low), to_ms(statistics.interval_high)}},
               {"confidence", statistics.confidence.value_or(0.0)},
               {"samples", trial.observation.samples.size()},
               {"verified", trial.observation.verified},
               {"not_verified", trial.observation.verified ? Json(nullptr) : Json(why_unverified(trial.observation))},
               {"metrics", metrics},
               {"uncertainties", uncertainties}};
  if (!trial.observation.lacking.empty()) json["lacking"] = trial.observation.lacking;
  return json;
}

Json speed_up_json(const Trial* best, const Trial* standard) {
  Json json = {{"better_than_default", nullptr}, {"speed_up", nullptr}, {"speed_up_interval", nullptr}};
  if (best == nullptr || standard == nullptr) return json;
  json["better_than_default"] = best->configuration.values() != standard->configuration.values();
  if (const auto ratio = gain_over_default(best->observation, standard->observation)) json["speed_up"] = *ratio;
  if (const auto& paired = best->observation.over_default)
    json["speed_up_interval"] = Json::array({paired->low, paired->high});
  return json;
}

std::string dump(const Json& json) { return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

}  // namespace wattune::cli
