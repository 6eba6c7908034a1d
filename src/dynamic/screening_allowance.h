// ScreeningAllowance: how much of the device's time screening takes, kept within the budget of the application. One
// thread.
//
//   if (!allowance.reserve(ended)) return;         // waits until the next step is affordable
//   const Observation seen = evaluate();
//   allowance.settle(use_of_device);
#pragma once

#include <functional>

#include "dynamic/ledger.h"
#include "dynamic/load_cost.h"
#include "wattune/tune/evaluator.h"

namespace wattune::dynamic {

class ScreeningAllowance {
 public:
  // Before anything was screened. Steps take more than that, if at all, once.
  static constexpr Nanoseconds kFirst = nanoseconds_from_ms(10);
  // What it takes a device to turn to another process and back: bursts of 0.05 and of 1 ms cost an application 0.43 and
  // 1.38 ms (docs/results/dynamic.md).
  static constexpr Nanoseconds kTurningAndBack = nanoseconds_from_ms(0.4);

  // What they refer to outlives it: the ledger, whose clock is `now`, and `step`, what those of all keys have taken.
  ScreeningAllowance(Ledger& ledger, std::function<Nanoseconds()> now, RecentMean& step)
      : ledger_(ledger), now_(std::move(now)), step_(step) {}

  // What the next step will probably take.
  Nanoseconds expected() const { return step_.value(); }

  // Waits until it pays and the ledger affords what a step has taken so far, the mean of the last few, and reserves
  // that. false: `ended` said so meanwhile. A call is not held up as a whole by any step, because the device serves
  // both processes in turns; so the share decides alone.
  bool reserve(
      const std::function<bool()>& ended, const std::function<bool()>& pays = [] { return true; });
  // What the step took on the device.
  void settle(const tune::DeviceUse& use) { step_.learn(charge(use)); }
  // The same of what is no step. Gives what was charged.
  Nanoseconds charge(const tune::DeviceUse& use);

 private:
  Ledger& ledger_;
  const std::function<Nanoseconds()> now_;
  RecentMean& step_;
  Nanoseconds reserved_;
};

}  // namespace wattune::dynamic
