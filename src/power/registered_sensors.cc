// Keeps the sensors that applications have registered by name (wattune/power/board.h).
#include <map>
#include <mutex>

#include "core/interface/suggest.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

namespace {

class SensorRegistry {
 public:
  Result<void> add(const std::string& name, const OpenSensors& open) {
    const std::lock_guard lock(mutex_);
    if (!openers_.try_emplace(name, open).second)
      return Error(ErrorCode::already_exists, "sensors of this name are registered").about(name);
    return {};
  }

  Result<OpenSensors> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = openers_.find(name); found != openers_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [registered, open] : openers_) names.push_back(registered);
    return Error(ErrorCode::not_found, "no sensors of this name are registered")
        .about(name)
        .hint(names.empty() ? "power::register_sensors() registers them" : suggest(name, names));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, OpenSensors> openers_;
};

SensorRegistry& sensor_registry() {
  static SensorRegistry registry;
  return registry;
}

}  // namespace

Result<void> register_sensors(const std::string& name, const OpenSensors& open) {
  if (name.empty() || !open)
    return Error(ErrorCode::invalid_argument, "sensors have a name and a function that opens them").about(name);
  return sensor_registry().add(name, open);
}

Result<Board> open_sensors(const std::string& name, const DeviceInfo& device) {
  WATTUNE_ASSIGN(const OpenSensors open, sensor_registry().find(name));
  return open(device);
}

}  // namespace wattune::power
