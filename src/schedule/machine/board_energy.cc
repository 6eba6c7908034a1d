#include "schedule/machine/board_energy.h"

namespace wattune::inline v0_1::schedule {

BoardEnergy::BoardEnergy(backend::Sensors& sensors, Nanoseconds interval) : sensors_(sensors), first_(counter()) {
  if (first_) poller_.emplace(interval, [this] { return read(); });
}

std::optional<Joules> BoardEnergy::counter() {
  const Result<backend::SensorReadings> readings = sensors_.read();
  return readings ? readings->energy : std::nullopt;
}

// Keeps the last reading if the new one fails.
bool BoardEnergy::read() {
  if (const std::optional<Joules> now = counter()) latest_ = *now - *first_;
  return true;
}

}  // namespace wattune::schedule
