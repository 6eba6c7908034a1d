// Leakage is the power that a chip draws even if it does nothing. It grows with the temperature.
#pragma once

#include "wattune/core/units.h"

namespace wattune::inline v0_1::simulate {

// Growth of the leakage per kelvin, as a share of its value at 50 °C.
inline constexpr double kLeakagePerKelvin = 0.003;

inline Watts with_leakage(Watts at_50, Celsius temperature) {
  return at_50 * (1.0 + kLeakagePerKelvin * (temperature.value() - 50.0));
}

}  // namespace wattune::simulate
