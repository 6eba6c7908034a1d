#include "power/phases.h"

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

// Estimates the variance of a batch: half the mean square of the differences from each phase to the next, where the
// first follows the last.
double Phases::bound(const std::function<Result<Watts>(Nanoseconds begin, Nanoseconds end)>& mean) const {
  std::vector<double> means;
  for (const std::optional<Load::Batch>& batch : batches_) {
    if (!batch) continue;
    const Result<Watts> power = mean(batch->begin, batch->end);
    if (power) means.push_back(power->value());
  }
  double squares = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    squares += std::pow(means[(i + 1) % means.size()] - means[i], 2);
    sum += means[i];
  }
  return sum > 0.0 ? std::sqrt(squares / 2.0) / sum : 0.0;
}

}  // namespace wattune::power
