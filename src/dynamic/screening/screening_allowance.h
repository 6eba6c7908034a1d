// ScreeningAllowance: keeps the device time of screening within the budget of the application. One thread uses it.
//
//   if (!allowance.reserve(ended)) return;         // waits until the next step is affordable
//   const Observation seen = evaluate();
//   allowance.settle(use_of_device);
#pragma once

#include <functional>

#include "dynamic/screening/step_cost.h"
#include "dynamic/tuning/stall_budget.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::dynamic {

class ScreeningAllowance {
 public:
  // Estimated device time of the first step of screening, before any step was measured. If a step takes longer than
  // estimated, the next estimate is higher.
  static constexpr Nanoseconds kFirstStepEstimate = nanoseconds_from_ms(10);
  // Time that a device takes to switch to another process and back. Bursts of 0.05 and of 1 ms cost an application 0.43
  // and 1.38 ms (docs/results/dynamic.md).
  static constexpr Nanoseconds kTurningAndBack = nanoseconds_from_ms(0.4);

  // Takes references that must outlive it: the stall_budget, whose clock is `now`, and `step`, the cost of the steps
  // of all keys.
  ScreeningAllowance(StallBudget& stall_budget, std::function<Nanoseconds()> now, StepCost& step)
      : stall_budget_(stall_budget), now_(std::move(now)), step_(step) {}

  // Returns the time that the next step will probably take.
  Nanoseconds expected() const { return step_.value(); }

  // Waits until `pays` returns true and the stall budget affords the mean time of the last few steps, then reserves
  // that time. While `pays` returns false, slow steps are forgiven. Returns false if `ended` becomes true meanwhile.
  // Only Budget::share limits steps: the device serves both processes in turns, so no step delays a call by its whole
  // length.
  bool reserve(
      const std::function<bool()>& ended, const std::function<bool()>& pays = [] { return true; });
  // Charges the device time of a step, and learns from it the estimate for the next step.
  void settle(const tune::DeviceUse& use) { step_.learn(charge(use)); }
  // Charges device time that belongs to no step. Returns the charged time.
  Nanoseconds charge(const tune::DeviceUse& use);

 private:
  StallBudget& stall_budget_;
  const std::function<Nanoseconds()> now_;
  StepCost& step_;
  Nanoseconds reserved_;
};

}  // namespace wattune::dynamic
