#include "power/phases.h"

#include <cmath>
#include <limits>

namespace wattune::power {

Nanoseconds Phases::wait(Nanoseconds now) {
  Nanoseconds least{std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (batches_[i]) continue;
    const double ahead = (origin_ - now) / period_ + static_cast<double>(i) / static_cast<double>(kPhases);
    const Nanoseconds wait = (ahead - std::floor(ahead)) * period_;
    if (wait >= least) continue;
    least = wait;
    next_ = i;
  }
  return least;
}

// The variance of a batch is half the mean square of the differences from one phase to the next, round the period.
double Phases::bound(const Trace<Watts>& power) const {
  std::vector<double> means;
  for (const std::optional<Load::Batch>& batch : batches_) {
    const Result<Measured<Watts>> mean = mean_power(power, batch->begin, batch->end);
    if (mean) means.push_back(mean->value.value());
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
