// StepCost: the device time that a step of screening will probably take, learned from the last few steps of all keys.
// The screening thread uses it.
//
//   if (gain <= cost.value()) cost.forgive(stall_budget, now);   // now and then, while no step pays
//   else cost.learn(run_a_step());
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "dynamic/tuning/stall_budget.h"

namespace wattune::inline v0_1::dynamic {

class StepCost {
 public:
  // Takes the expected time of a step before any was measured.
  explicit StepCost(Nanoseconds first) : first_(first) {}

  void learn(Nanoseconds took) {
    const bool is_slow = took > kSlow * usual();
    if (is_slow && forgave_) price_ *= 2.0;
    if (!is_slow) price_ = std::max(1.0, 0.5 * price_);
    forgave_ = false;
    unpaid_since_.reset();
    if (times_.size() == kRememberedSteps) times_.pop_front();
    times_.push_back(took);
  }

  // Returns the mean time of the last few steps.
  Nanoseconds value() const {
    if (times_.empty()) return first_;
    return std::accumulate(times_.begin(), times_.end(), Nanoseconds()) / static_cast<double>(times_.size());
  }

  // Forgets slow steps, if no step has paid for so long that the budget has gained the cost of a slow one. A machine
  // that was busy once would otherwise keep every later step from being tried, and so from being measured again. This
  // waiting time doubles if the next step is slow as well, and halves with each step that is not.
  void forgive(const StallBudget& stall_budget, Nanoseconds now) {
    const Nanoseconds limit = kSlow * usual();
    const auto is_slow = [limit](Nanoseconds took) { return took > limit; };
    if (std::ranges::none_of(times_, is_slow)) return unpaid_since_.reset();
    if (!unpaid_since_) unpaid_since_ = now;
    if (stall_budget.gained_in(now - *unpaid_since_) < price_ * value()) return;
    std::erase_if(times_, is_slow);
    forgave_ = true;
    unpaid_since_.reset();
  }

 private:
  static constexpr std::size_t kRememberedSteps = 8;
  // Ratio to the shortest of the last steps, or to the first estimate if that is shorter, above which a step is slow.
  static constexpr double kSlow = 2.0;

  Nanoseconds usual() const { return times_.empty() ? first_ : std::min(first_, std::ranges::min(times_)); }

  const Nanoseconds first_;
  std::deque<Nanoseconds> times_;  // of the last steps that are not forgotten
  std::optional<Nanoseconds> unpaid_since_;
  bool forgave_ = false;  // true if slow steps were forgotten since the last step
  double price_ = 1.0;    // factor by which the budget must gain more before slow steps are forgotten
};

}  // namespace wattune::dynamic
