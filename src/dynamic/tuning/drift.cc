#include "dynamic/tuning/drift.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/interface/median_interval.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Number of early times, and of late times, whose medians are compared. It is also the number of measurements in a row
// in which the medians must differ. While these are made, it becomes known whether the times of other kernels changed,
// too.
constexpr std::size_t kComparedTimes = 16;
constexpr double kConfidence = 0.95;
// The largest number of timed calls in flight.
constexpr std::size_t kMostTimedCalls = 4;
// Age up to which changes of other kernels are considered.
constexpr Nanoseconds kMovementAge = nanoseconds_from_seconds(10);
// The least change of another kernel that counts, as a share of this kernel's change. The second constant is the share
// of the other kernels with such a change from which on the whole device counts as changed.
constexpr double kLeastMovementShare = 1.0 / 3.0;
constexpr double kSharedMove = 2.0 / 3.0;

measure::MedianInterval interval_of(auto times) {
  std::ranges::sort(times);
  return measure::median_interval({times.begin(), times.end()}, kConfidence);
}

}  // namespace

void DeviceDrift::note(const void* kernel, double ratio, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  seen_.insert_or_assign(kernel, Seen{ratio, now});
}

void DeviceDrift::forget(const void* kernel) {
  const std::lock_guard lock(mutex_);
  seen_.erase(kernel);
}

Cause DeviceDrift::cause(const void* kernel, double ratio, Nanoseconds now) const {
  const std::lock_guard lock(mutex_);
  double others = 0.0;
  double moved = 0.0;
  for (const auto& [other, seen] : seen_) {
    if (other == kernel || now - seen.at > kMovementAge) continue;
    ++others;
    if (std::log(seen.ratio) / std::log(ratio) >= kLeastMovementShare) ++moved;
  }
  return others > 0.0 && moved >= kSharedMove * others ? Cause::device : Cause::kernel;
}

// Keeps a timed call, unless kMostTimedCalls are still in flight, as happens if calls take long.
void Drift::watch(TimedCall call) {
  if (out_.size() < kMostTimedCalls) out_.push_back(std::move(call));
}

std::optional<Moved> Drift::collect(Nanoseconds now) {
  std::optional<Moved> moved;
  while (!out_.empty() && !moved) {
    const Result<bool> ready = out_.front().ready();
    if (ready && !*ready) break;
    const Result<Nanoseconds> time = ready ? out_.front().duration() : Result<Nanoseconds>(ready.error());
    out_.pop_front();
    if (time) moved = take(*time, now);  // the error of a failed call is reported elsewhere
  }
  return moved;
}

void Drift::begin_anew() {
  out_.clear();
  before_.clear();
  lately_.clear();
  moved_for_ = 0;
  device_.forget(this);
}

std::optional<Moved> Drift::take(Nanoseconds time, Nanoseconds now) {
  if (before_.size() < kComparedTimes) return before_.push_back(time.value()), std::nullopt;
  lately_.push_back(time.value());
  if (lately_.size() < kComparedTimes) return std::nullopt;
  if (lately_.size() > kComparedTimes) lately_.pop_front();
  const measure::MedianInterval before = interval_of(before_);
  const measure::MedianInterval lately = interval_of(lately_);
  const double ratio = lately.median / before.median;
  device_.note(this, ratio, now);
  const bool apart = lately.low > before.high || lately.high < before.low;
  moved_for_ = apart && std::abs(std::log(ratio)) > std::log1p(most_) ? moved_for_ + 1 : 0;
  if (moved_for_ < kComparedTimes) return std::nullopt;
  before_.assign(lately_.begin(), lately_.end());
  lately_.clear();
  moved_for_ = 0;
  return Moved{ratio, device_.cause(this, ratio, now)};
}

}  // namespace wattune::dynamic
