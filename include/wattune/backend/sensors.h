// What a device's sensors show.
#pragma once

#include <optional>

namespace wattune::backend {

// What a device was like at some moment, as far as it can be read.
struct Conditions {
  std::optional<double> clock_mhz;  // of the compute units
  std::optional<bool> throttled;    // power or heat holds the clock down

  bool operator==(const Conditions&) const = default;
};

struct SensorReadings {
  Conditions conditions;
  std::optional<double> power_watts;    // of the board
  std::optional<double> energy_joules;  // of the board, since some time before
  std::optional<double> temperature_celsius;
};

}  // namespace wattune::backend
