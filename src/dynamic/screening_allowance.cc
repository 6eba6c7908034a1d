#include "dynamic/screening_allowance.h"

#include <chrono>
#include <thread>

namespace wattune::dynamic {

bool ScreeningAllowance::reserve(const std::function<bool()>& ended, const std::function<bool()>& pays) {
  constexpr std::chrono::milliseconds kPause{5};
  reserved_ = step_.value();
  while (!ended()) {
    if (pays() && ledger_.reserve({.expected = reserved_, .longest = {}}, now_())) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

// A device that turns to another process and back takes some time for it: bursts of 0.05 and of 1 ms cost an
// application 0.43 and 1.38 ms (docs/results/dynamic.md).
Nanoseconds ScreeningAllowance::charge(const tune::DeviceUse& use) {
  constexpr Nanoseconds kTurningAndBack = nanoseconds_from_ms(0.4);
  const Nanoseconds took = use.time + static_cast<double>(use.waits) * kTurningAndBack;
  ledger_.settle(reserved_, took, &Stalls::screening);
  return took;
}

}  // namespace wattune::dynamic
