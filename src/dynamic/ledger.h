// Ledger: what dynamic tuning has cost the application, and whether it can afford more (Budget). Any thread.
//
// A stall is predicted before it is risked and charged when it is known. The share counts from the first call.
#pragma once

#include <mutex>
#include <optional>

#include "wattune/core/units.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"

namespace wattune::dynamic {

class Ledger {
 public:
  explicit Ledger(const Budget& budget) : budget_(budget) {}

  // The application's first call; later ones change nothing. Times are of any clock that goes forward.
  void begin(Nanoseconds now);
  // Whether a call may stall for so long, as far as both limits go; what is promised to others counts as spent.
  bool affords(Nanoseconds predicted, Nanoseconds now) const;
  // The same, and keeps it for whoever asked until settle(): no two callers spend the same budget.
  bool reserve(Nanoseconds predicted, Nanoseconds now);
  // What a reservation came to, in this part of the stalls.
  void settle(Nanoseconds predicted, Nanoseconds came_to, Nanoseconds Stalls::*part);
  // A call that stalled by nothing that was reserved.
  void charge(Nanoseconds stall, Nanoseconds Stalls::*part);
  // A call of this duration more than the best known's, for the histogram.
  void note_call(Nanoseconds stall);

  Stalls stalls() const;
  Nanoseconds longest() const;
  StallHistogram histogram() const;
  Nanoseconds running(Nanoseconds now) const;

 private:
  const Budget budget_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Nanoseconds> began_;
  Nanoseconds reserved_;
  Stalls spent_;
  Nanoseconds longest_;
  StallHistogram histogram_;
};

}  // namespace wattune::dynamic
