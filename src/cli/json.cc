#include "cli/json.h"

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
  return {{"selector", device.selector},
          {"backend", device.backend},
          {"kind", to_string(device.kind)},
          {"name", device.name},
          {"vendor", device.vendor},
          {"platform", device.platform},
          {"driver_version", device.driver_version},
          {"language_version", device.language_version},
          {"architecture", device.architecture},
          {"compute_units", device.compute_units},
          {"clock_mhz", device.clock_mhz},
          {"global_memory_bytes", device.global_memory_bytes},
          {"local_memory_bytes", device.local_memory_bytes},
          {"max_allocation_bytes", device.max_allocation_bytes},
          {"max_work_group_size", device.max_work_group_size},
          {"max_work_item_sizes", device.max_work_item_sizes},
          {"sensors", device.sensors}};
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
  for (const Metric& metric : trial.observation.metrics) metrics[metric.name] = metric.value;
  return {{"configuration", to_json(trial.configuration)},
          {"objective", trial.observation.objective()},
          {"time_ms", to_ms(statistics.median)},
          {"interval_ms", {to_ms(statistics.interval_low), to_ms(statistics.interval_high)}},
          {"confidence", statistics.confidence},
          {"samples", trial.observation.samples.size()},
          {"verified", trial.observation.verified},
          {"metrics", metrics}};
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace wattune::cli
