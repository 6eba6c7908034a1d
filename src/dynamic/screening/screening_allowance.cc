#include "dynamic/screening/screening_allowance.h"

#include <chrono>
#include <thread>

namespace wattune::inline v0_1::dynamic {

bool ScreeningAllowance::reserve(const std::function<bool()>& ended, const std::function<bool()>& pays) {
  constexpr std::chrono::milliseconds kPause{5};
  while (!ended()) {
    reserved_ = step_.value();
    if (!pays())
      step_.forgive(stall_budget_, now_());
    else if (stall_budget_.reserve({.expected = reserved_, .longest = {}}, now_()))
      return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

Nanoseconds ScreeningAllowance::charge(const tune::DeviceUse& use) {
  const Nanoseconds took = use.time + static_cast<double>(use.waits) * kTurningAndBack;
  stall_budget_.settle(reserved_, took, &Stalls::screening);
  return took;
}

}  // namespace wattune::dynamic
