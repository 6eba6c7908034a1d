// Power by a counter of energy that is renewed every now and then, as those of boards are.
#pragma once

#include <optional>

#include "wattune/core/units.h"

namespace wattune::schedule {

// From the first change that it is told of to the last: between two changes a counter tells nothing.
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
  // None: it changed less than twice.
  std::optional<Watts> power() const {
    return has_changed_ && end_ > begin_ ? std::optional((last_ - first_) / (end_ - begin_)) : std::nullopt;
  }

 private:
  Nanoseconds begin_, end_;
  Joules first_, last_;
  bool has_changed_ = false;
};

}  // namespace wattune::schedule
