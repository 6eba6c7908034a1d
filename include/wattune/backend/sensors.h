// Sensors: quantities that a device reports about itself while it works. Nothing is ever set.
//
// Their Device owns them, from its opening to its end. The sensors of a device in this process are used by one thread
// at a time, not necessarily the one that uses the device. The sensors of a device in a worker are used only by the
// device's own thread. A value that cannot be read stays empty.
//
//   WATTUNE_ASSIGN(backend::Sensors* const sensors, device->sensors());
//   WATTUNE_ASSIGN(const backend::SensorReadings readings, sensors->read());
//   if (readings.power) use(*readings.power);
#pragma once

#include <optional>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// The state of a device at some moment, as far as it can be read.
struct WATTUNE_EXPORT Conditions {
  std::optional<Megahertz> clock;  // clock of the compute units
  std::optional<bool> throttled;   // true if power or heat holds the clock down

  bool operator==(const Conditions&) const = default;
};

// The values of all sensors at one moment, as far as they can be read.
struct WATTUNE_EXPORT SensorReadings {
  Conditions conditions;
  std::optional<Watts> power = {};    // power of the board
  std::optional<Joules> energy = {};  // energy of the board since an unknown earlier time
  std::optional<Celsius> temperature = {};
};

// The readings at a moment, on the clock of the device's events (stream.h).
struct WATTUNE_EXPORT SensorSample {
  Nanoseconds at;
  SensorReadings readings;
};

// The sensors of one device.
class WATTUNE_EXPORT Sensors {
 public:
  virtual ~Sensors() = default;
  // Reads all sensors. Fails with device_lost or timeout if the device is in a worker.
  virtual Result<SensorReadings> read() = 0;
};

}  // namespace wattune::backend
