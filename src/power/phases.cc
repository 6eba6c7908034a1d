#include "power/phases.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wattune::inline v0_1::power {

namespace {

// Returns `time` modulo `whole`; it is never negative.
Nanoseconds past(Nanoseconds time, Nanoseconds whole) { return time - std::floor(time / whole) * whole; }

}  // namespace

Nanoseconds Phases::wait(Nanoseconds now) {
  const Nanoseconds position = past(past(now - origin_, period_), span_);
  Nanoseconds least{std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (batches_[i]) continue;
    const Nanoseconds wait = past(span_ * (static_cast<double>(i) / static_cast<double>(kPhases)) - position, span_);
    if (wait >= least) continue;
    least = wait;
    next_ = i;
  }
  return least;
}

Nanoseconds Phases::end() const {
  Nanoseconds last{-std::numeric_limits<double>::infinity()};
  for (const std::optional<Load::Batch>& batch : batches_)
    if (batch) last = std::max(last, batch->end);
  return last;
}

}  // namespace wattune::power
