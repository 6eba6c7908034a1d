#include "power/load_log.h"

#include <algorithm>

namespace wattune::inline v0_1::power {

namespace {

Nanoseconds common(const Load::Batch& batch, Nanoseconds begin, Nanoseconds end) {
  return std::max(Nanoseconds(), std::min(batch.end, end) - std::max(batch.begin, begin));
}

}  // namespace

Nanoseconds LoadLog::launch_time() const {
  const Load::Batch& last = batches_.back();
  return (last.end - last.begin) / static_cast<double>(last.launches);
}

double LoadLog::launches(Nanoseconds begin, Nanoseconds end) const {
  double sum = 0.0;
  for (const Load::Batch& each : batches_)
    if (each.end > each.begin)
      sum += static_cast<double>(each.launches) * (common(each, begin, end) / (each.end - each.begin));
  return sum;
}

Nanoseconds LoadLog::busy(Nanoseconds begin, Nanoseconds end) const {
  Nanoseconds sum;
  for (const Load::Batch& each : batches_) sum += common(each, begin, end);
  return sum;
}

}  // namespace wattune::power
