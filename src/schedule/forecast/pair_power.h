// The power of a board while two kernels run together, measured by its counter of energy.
#pragma once

#include <array>
#include <optional>

#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Counters are updated every 100 ms and lag behind. So a window begins at the second change after the pair began, and
// ends at the first change half a second later or more. The two may change the way in which they run meanwhile; the
// forecast power is summed up as well.
class PairPower {
 public:
  // Notes the time since the last call: the counter now, the two kernels that ran, and the forecast power of whatever
  // ran. Without a pair, one kernel ran or none, which may be the case for a tenth of a window. When a window of the
  // pair has ended, returns its measured and its forecast power while both ran.
  std::optional<PairPowers> note(Nanoseconds now, Joules counter, const std::optional<std::array<KernelId, 2>>& pair,
                                 Watts forecast);
  // Returns the latest pair. Precondition: one was noted.
  const std::array<KernelId, 2>& pair() const { return *pair_; }

 private:
  void begin_window(Nanoseconds now, Joules counter);

  std::optional<std::array<KernelId, 2>> pair_;
  int changes_ = 0;  // of the counter since the pair began
  Nanoseconds noted_;
  Joules counter_;
  Nanoseconds begin_;
  Joules counter_at_begin_;
  Nanoseconds gaps_;  // time in which not both ran
  Joules of_gaps_;    // as forecast
  Joules of_pair_;
};

}  // namespace wattune::schedule
