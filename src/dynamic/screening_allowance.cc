#include "dynamic/screening_allowance.h"

#include <chrono>
#include <thread>

namespace wattune::dynamic {

bool ScreeningAllowance::reserve(const std::function<bool()>& ended) {
  constexpr std::chrono::milliseconds kPause{5};
  reserved_ = step_.value();
  while (!ended()) {
    if (ledger_.reserve({.expected = reserved_, .longest = {}}, now_())) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

void ScreeningAllowance::settle(Nanoseconds took) {
  ledger_.settle(reserved_, took, &Stalls::screening);
  step_.learn(took);
}

}  // namespace wattune::dynamic
