#include "power/load_log.h"

#include <algorithm>
#include <cmath>

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

std::size_t LoadLog::begun(Nanoseconds moment) const {
  const auto later = std::ranges::upper_bound(batches_, moment, {}, &Load::Batch::begin);
  return static_cast<std::size_t>(later - batches_.begin());
}

double LoadLog::time_error(Nanoseconds begin, Nanoseconds end) const {
  constexpr double kFewestBatches = 4.0;
  double n = 0.0, sum = 0.0, squares = 0.0, last = 0.0;
  for (const Load::Batch& each : batches_) {
    if (each.begin < begin || each.end > end) continue;
    const double time = (each.end - each.begin) / nanoseconds_from_seconds(1) / static_cast<double>(each.launches);
    if (n > 0.0) squares += (time - last) * (time - last);
    last = time;
    sum += time;
    n += 1.0;
  }
  if (n < kFewestBatches || !(sum > 0.0)) return 0.0;
  return std::sqrt(squares / 2.0 / (n - 1.0) / n) / (sum / n);
}

std::vector<LoadLog::Gap> LoadLog::gaps(Nanoseconds begin, Nanoseconds end) const {
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < batches_.size(); ++i) {
    const Gap gap{std::max(batches_[i - 1].end, begin), std::min(batches_[i].begin, end)};
    if (gap.begin < gap.end) gaps.push_back(gap);
  }
  return gaps;
}

Nanoseconds LoadLog::busy(Nanoseconds begin, Nanoseconds end) const {
  Nanoseconds sum;
  for (const Load::Batch& each : batches_) sum += common(each, begin, end);
  return sum;
}

}  // namespace wattune::power
