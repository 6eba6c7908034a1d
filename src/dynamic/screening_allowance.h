// ScreeningAllowance: how much of the device's time screening takes, kept within the budget of the application. One
// thread.
//
//   if (!allowance.reserve(ended)) return;         // waits until the next step is affordable
//   const Observation seen = evaluate();
//   allowance.settle(time_on_device);
#pragma once

#include <functional>

#include "dynamic/ledger.h"
#include "dynamic/load_cost.h"

namespace wattune::dynamic {

class ScreeningAllowance {
 public:
  // Before anything was screened. Steps take more than that, if at all, once.
  static constexpr Nanoseconds kFirst = nanoseconds_from_ms(10);

  // The ledger outlives it; `now` is its clock; `first` is what the first step will probably take.
  ScreeningAllowance(Ledger& ledger, std::function<Nanoseconds()> now, Nanoseconds first = kFirst)
      : ledger_(ledger), now_(std::move(now)), step_(first) {}

  // Waits until the ledger affords what a step has taken so far, the mean of the last few, and reserves that. false:
  // `ended` said so meanwhile. A call is not held up as a whole by any step, because the device serves both processes
  // in turns; so the share decides alone.
  bool reserve(const std::function<bool()>& ended);
  // What the step took on the device.
  void settle(Nanoseconds took);

 private:
  Ledger& ledger_;
  const std::function<Nanoseconds()> now_;
  RecentMean step_;
  Nanoseconds reserved_;
};

}  // namespace wattune::dynamic
