// Leakage: what a chip draws by being on, which grows with its temperature.
#pragma once

#include "wattune/core/units.h"

namespace wattune::simulate {

// Of what it is at 50 °C, for each kelvin.
inline constexpr double kLeakagePerKelvin = 0.003;

inline Watts with_leakage(Watts at_50, Celsius temperature) {
  return at_50 * (1.0 + kLeakagePerKelvin * (temperature.value() - 50.0));
}

}  // namespace wattune::simulate
