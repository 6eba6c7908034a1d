// Returns the time on the clock of real boards' readings.
#pragma once

#include <chrono>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

inline Nanoseconds steady_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return Nanoseconds(std::chrono::duration<double, std::nano>(now).count());
}

}  // namespace wattune::power
