// StallBudget: accounts for what dynamic tuning has cost the application, and decides whether it can afford more
// (Budget). Any thread may call the functions.
//
// A stall is predicted before it is risked and charged when it is known. The share counts the time since the first
// call, or the announced running time if that is longer.
//
//   if (!stall_budget.reserve({.expected = slower_by, .longest = at_worst}, now)) return run_the_best();
//   stall_budget.settle(slower_by, measured, &Stalls::exploring);
#pragma once

#include <mutex>
#include <optional>

#include "wattune/core/units.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::inline v0_1::dynamic {

// The predicted length of a stall. Its average must be covered by the share of the running time, and its worst case by
// the limit for one call.
struct Prediction {
  Nanoseconds expected;
  Nanoseconds longest;
  Nanoseconds call = {};  // time of the call without the stall; 0 if unknown
};

class StallBudget {
 public:
  explicit StallBudget(const Budget& budget) : budget_(budget) {}

  // Records the time of the application's first call. Further calls of this function change nothing. Any clock that
  // does not go back may be used.
  void begin(Nanoseconds now);
  // Adds to the running time of calls that the application has announced.
  void expect(Nanoseconds further);
  // True if the budget allows this stall, by the share of the running time and by the limit for one call. Time that is
  // reserved counts as spent.
  bool affords(const Prediction& prediction, Nanoseconds now) const;
  bool affords(Nanoseconds predicted, Nanoseconds now) const { return affords({predicted, predicted}, now); }
  // Returns the result of affords(). If it is true, reserves the expected stall until settle() is called. So two
  // callers never spend the same part of the budget.
  bool reserve(const Prediction& prediction, Nanoseconds now);
  bool reserve(Nanoseconds predicted, Nanoseconds now) { return reserve({predicted, predicted}, now); }
  // Returns the longest stall that the budget can ever allow in a call that otherwise takes `call`.
  Nanoseconds most(Nanoseconds call) const;
  // Returns the amount by which this running time increases the budget.
  Nanoseconds gained_in(Nanoseconds running) const { return budget_.share * running; }
  // Replaces a reservation by the actual stall, and charges that stall to the member `part` of Stalls. Here and below,
  // negative times count as 0.
  void settle(Nanoseconds expected, Nanoseconds came_to, Nanoseconds Stalls::*part);
  // Charges a stall for which nothing was reserved.
  void charge(Nanoseconds stall, Nanoseconds Stalls::*part);
  // Records that tuning has saved this time. The share Budget::reinvested of it may be spent.
  void save(Nanoseconds saved);
  // Records the whole stall of a call that was delayed, or that could have been delayed. The histogram and the longest
  // stall are computed from these stalls.
  void note_call(Nanoseconds stall);

  Stalls stalls() const;
  Nanoseconds saved() const;
  Nanoseconds longest() const;
  StallHistogram histogram() const;
  Nanoseconds running(Nanoseconds now) const;

 private:
  bool affords_locked(const Prediction& prediction, Nanoseconds now) const;
  Nanoseconds running_locked(Nanoseconds now) const;

  const Budget budget_;
  mutable std::mutex mutex_;  // guards the members below
  std::optional<Nanoseconds> began_;
  Nanoseconds reserved_;
  Stalls spent_;
  Nanoseconds saved_;
  Nanoseconds expected_;  // announced running time, from the first call on
  Nanoseconds longest_;
  StallHistogram histogram_;
};

}  // namespace wattune::dynamic
