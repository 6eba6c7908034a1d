// Computes power from a counter of energy that is updated only from time to time, as the counters of boards are.
#pragma once

#include <optional>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::schedule {

// Returns the energy that a counter counted; nullopt if the counter stood still, as on a board that reports no energy.
inline std::optional<Joules> energy_between(Joules before, Joules after) {
  return after > before ? std::optional(after - before) : std::nullopt;
}

// The span from the first change of a counter to the last. Between two changes a counter tells nothing.
class CounterSpan {
 public:
  CounterSpan(Nanoseconds now, Joules counter) : begin_(now), end_(now), first_(counter), last_(counter) {}

  void note(Nanoseconds now, Joules counter) {
    if (counter == last_) return;
    if (!has_changed_) begin_ = now, first_ = counter;
    has_changed_ = true;
    end_ = now;
    last_ = counter;
  }
  // Returns the mean power between the first and the last change; nullopt if the counter changed less than twice.
  std::optional<Watts> power() const {
    return has_changed_ && end_ > begin_ ? std::optional((last_ - first_) / (end_ - begin_)) : std::nullopt;
  }

 private:
  Nanoseconds begin_, end_;
  Joules first_, last_;
  bool has_changed_ = false;
};

}  // namespace wattune::schedule
