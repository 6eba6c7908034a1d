// StallBudget: accounts for what dynamic tuning has cost the application, and decides whether it can afford more
// (Budget). Any thread may call.
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

// The predicted size of a stall: its average, which the share pays for, and its worst case, which bounds one call.
struct Prediction {
  Nanoseconds expected;
  Nanoseconds longest;
  Nanoseconds call = {};  // time of the call without it; 0 if unknown
};

class StallBudget {
 public:
  explicit StallBudget(const Budget& budget) : budget_(budget) {}

  // Notes the time of the application's first call; later ones change nothing. The clock may be any that does not go
  // back.
  void begin(Nanoseconds now);
  // Adds to the running time of the calls that the application has announced.
  void expect(Nanoseconds further);
  // True if the budget allows this stall, by the share of the running time and by the limit for one call. Reserved time
  // counts as spent.
  bool affords(const Prediction& prediction, Nanoseconds now) const;
  bool affords(Nanoseconds predicted, Nanoseconds now) const { return affords({predicted, predicted}, now); }
  // Returns affords(), and if that is true, reserves the expected stall until settle(). So two callers never spend the
  // same part of the budget.
  bool reserve(const Prediction& prediction, Nanoseconds now);
  bool reserve(Nanoseconds predicted, Nanoseconds now) { return reserve({predicted, predicted}, now); }
  // Returns the longest stall that the budget can ever allow in a call that otherwise takes `call`.
  Nanoseconds most(Nanoseconds call) const;
  // Returns what this running time adds to the budget.
  Nanoseconds gained_in(Nanoseconds running) const { return budget_.share * running; }
  // Replaces a reservation by the actual stall and charges it to this member of Stalls. Negative times count as 0, here
  // and below.
  void settle(Nanoseconds expected, Nanoseconds came_to, Nanoseconds Stalls::*part);
  // Charges a stall for which nothing was reserved.
  void charge(Nanoseconds stall, Nanoseconds Stalls::*part);
  // Notes that tuning has saved this time; Budget::reinvested of it may be spent.
  void save(Nanoseconds saved);
  // Notes the whole stall of one call that stalled or could have, for the histogram and the longest stall.
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
