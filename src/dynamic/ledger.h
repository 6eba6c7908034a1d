// Ledger: what dynamic tuning has cost the application, and whether it can afford more (Budget). Any thread.
//
// A stall is predicted before it is risked and charged when it is known. The share counts from the first call, and at
// once of as much running as the application says that is to come.
//
//   if (!ledger.reserve({.expected = slower_by, .longest = at_worst}, now)) return run_the_best();
//   ledger.settle(slower_by, measured, &Stalls::exploring);
#pragma once

#include <mutex>
#include <optional>

#include "wattune/core/units.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::dynamic {

// What a stall will come to: on average, which the share is spent on, and when things go badly, which bounds one call.
struct Prediction {
  Nanoseconds expected;
  Nanoseconds longest;
  Nanoseconds call = {};  // what the call takes without; 0: unknown
};

class Ledger {
 public:
  explicit Ledger(const Budget& budget) : budget_(budget) {}

  // The application's first call; later ones change nothing. Times are of any clock that goes forward.
  void begin(Nanoseconds now);
  // Calls that the application says will come take so much longer than those that it told of before.
  void expect(Nanoseconds further);
  // Whether a call may stall for so long, as far as both limits go; what is promised to others counts as spent.
  bool affords(const Prediction& prediction, Nanoseconds now) const;
  bool affords(Nanoseconds predicted, Nanoseconds now) const { return affords({predicted, predicted}, now); }
  // The same, and keeps what is expected for whoever asked until settle(): no two callers spend the same budget.
  bool reserve(const Prediction& prediction, Nanoseconds now);
  bool reserve(Nanoseconds predicted, Nanoseconds now) { return reserve({predicted, predicted}, now); }
  // The longest stall that is ever affordable of a call that takes so long without.
  Nanoseconds most(Nanoseconds call) const;
  // What so much time of running adds to what may be spent.
  Nanoseconds gained_in(Nanoseconds running) const { return budget_.share * running; }
  // What a reservation came to, in this part of the stalls. Less than nothing counts as nothing, here and below.
  void settle(Nanoseconds expected, Nanoseconds came_to, Nanoseconds Stalls::*part);
  // A stall of which nothing was reserved.
  void charge(Nanoseconds stall, Nanoseconds Stalls::*part);
  // Tuning has made the application faster by so much; Budget::reinvested of it may be spent on more.
  void save(Nanoseconds saved);
  // The whole stall of one call that stalled or could have, for the histogram and the longest.
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
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Nanoseconds> began_;
  Nanoseconds reserved_;
  Stalls spent_;
  Nanoseconds saved_;
  Nanoseconds expected_;  // of running, from the first call on
  Nanoseconds longest_;
  StallHistogram histogram_;
};

}  // namespace wattune::dynamic
