// What the board draws while two kernels run together, by its counter of energy.
#pragma once

#include <array>
#include <optional>

#include "wattune/schedule/pair_table.h"

namespace wattune::schedule {

// Counters are renewed every 100 ms, and what is new tells of the time before. So a window begins at the second change
// after a pair began, and ends at the first one half a second later or more. The two may change the way in which they
// run meanwhile: what that should have drawn is summed up beside what was drawn.
class PairPower {
 public:
  // Of the time since the last call: what the counter says now, which two ran, and what they or whatever else ran is
  // forecast to draw. No pair: one kernel ran, or none, which may be a tenth of a window. A pair of which a window has
  // ended: what it drew and what was forecast, while both ran.
  std::optional<PairPowers> note(Nanoseconds now, Joules counter, const std::optional<std::array<KernelId, 2>>& pair,
                                 Watts forecast);
  // Precondition: one was noted.
  const std::array<KernelId, 2>& pair() const { return *pair_; }

 private:
  void begin_window(Nanoseconds now, Joules counter);

  std::optional<std::array<KernelId, 2>> pair_;
  int changes_ = 0;  // of the counter since it began
  Nanoseconds noted_;
  Joules counter_;
  Nanoseconds begin_;
  Joules counter_at_begin_;
  Nanoseconds gaps_;  // in which not both ran
  Joules of_gaps_;    // as forecast
  Joules of_pair_;
};

}  // namespace wattune::schedule
