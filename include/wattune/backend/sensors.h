// Sensors: what a device can be asked about itself while it works. Nothing is ever set.
//
// Owned by their Device, from its opening to its end. Those of a device of this process are used by one thread at a
// time, which need not be the one that uses the device; those of a device in a worker by that one alone. What cannot be
// read stays empty.
//
//   WATTUNE_ASSIGN(backend::Sensors* const sensors, device->sensors());
//   WATTUNE_ASSIGN(const backend::SensorReadings readings, sensors->read());
//   if (readings.power) use(*readings.power);
#pragma once

#include <optional>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// What a device was like at some moment, as far as it can be read.
struct Conditions {
  std::optional<Megahertz> clock;  // of the compute units
  std::optional<bool> throttled;   // power or heat holds the clock down

  bool operator==(const Conditions&) const = default;
};

struct SensorReadings {
  Conditions conditions;
  std::optional<Watts> power = {};    // of the board
  std::optional<Joules> energy = {};  // of the board, since some time before
  std::optional<Celsius> temperature = {};
};

// What they showed at a moment of the clock that the device's events have (stream.h).
struct SensorSample {
  Nanoseconds at;
  SensorReadings readings;
};

class Sensors {
 public:
  virtual ~Sensors() = default;
  // device_lost, timeout: in a worker, as all else.
  virtual Result<SensorReadings> read() = 0;
};

}  // namespace wattune::backend
