#include "schedule/machine/named_sensors.h"

#include <algorithm>

namespace wattune::inline v0_1::schedule {

Result<std::unique_ptr<NamedSensors>> NamedSensors::open(const std::string& name, const DeviceInfo& device) {
  WATTUNE_ASSIGN(power::Board board, power::open_sensors(name, device));
  if (board.energy.empty() && board.power.empty())
    return Error(ErrorCode::unavailable, "these sensors tell neither energy nor power").about(name);
  return std::unique_ptr<NamedSensors>(new NamedSensors(std::move(board)));
}

Result<backend::SensorReadings> NamedSensors::read() {
  WATTUNE_ASSIGN(const Joules energy, joules());
  return backend::SensorReadings{.conditions = {}, .energy = energy};
}

Result<Joules> NamedSensors::joules() {
  if (!board_.energy.empty()) {
    WATTUNE_ASSIGN(const power::Reading<Joules> counted, board_.energy.front()->read());
    return counted.value;
  }
  WATTUNE_ASSIGN(const power::Reading<Watts> now, board_.power.front()->read());
  if (last_) sum_ += 0.5 * (last_->value + now.value) * std::max(Nanoseconds(), now.at - last_->at);
  last_ = now;
  return sum_;
}

Nanoseconds NamedSensors::interval() const {
  const power::SensorInfo& read = board_.energy.empty() ? board_.power.front()->info() : board_.energy.front()->info();
  return power::reading_interval(read.traits);
}

}  // namespace wattune::schedule
