// Measures the power of a board, by its energy counter, while two kernels run together.
#pragma once

#include <array>
#include <optional>

#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// The mean power of a pair over a window of at least half a second. The energy counter changes about every 100 ms and
// lags behind. A window therefore begins at a change of the counter, but not at the first two after the pair began, and
// ends at a later change. Within a window the pair may run in several ways, so the forecast power is averaged too.
class PairPower {
 public:
  // Adds the time since the last call: the present value of the counter, the two kernels that ran, and the forecast
  // power. `pair` is nullopt if fewer than two kernels ran, which is accepted for up to a tenth of a window. Returns
  // the measured and the forecast power of the pair when a window has ended, else nullopt.
  std::optional<PairPowers> note(Nanoseconds now, Joules counter, const std::optional<std::array<KernelId, 2>>& pair,
                                 Watts forecast);
  // Returns the pair of the latest call of note(). Precondition: note() was called with a pair.
  const std::array<KernelId, 2>& pair() const { return *pair_; }

 private:
  void begin_window(Nanoseconds now, Joules counter);

  std::optional<std::array<KernelId, 2>> pair_;
  int changes_ = 0;  // changes of the counter since the pair began
  Nanoseconds noted_;
  Joules counter_;
  Nanoseconds begin_;
  Joules counter_at_begin_;
  Nanoseconds gaps_;  // time in the window without a pair
  Joules of_gaps_;    // energy in the gaps, by the forecast
  Joules of_pair_;
};

}  // namespace wattune::schedule
