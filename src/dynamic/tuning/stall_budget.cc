#include "dynamic/tuning/stall_budget.h"

#include <algorithm>
#include <bit>

namespace wattune::inline v0_1::dynamic {

namespace {

Nanoseconds at_least_nothing(Nanoseconds stall) { return std::max(stall, Nanoseconds()); }

std::size_t bin_of(Nanoseconds stall) {
  constexpr double kLastBin = 0x1.0p40;  // in microseconds, beyond the last bin
  const auto whole = static_cast<std::uint64_t>(std::clamp(stall.value() * 1e-3, 0.0, kLastBin));
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(whole)), StallHistogram::kBins - 1);
}

}  // namespace

void StallBudget::begin(Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  if (!began_) began_ = now;
}

Nanoseconds StallBudget::running_locked(Nanoseconds now) const {
  return began_ ? at_least_nothing(now - *began_) : Nanoseconds();
}

bool StallBudget::affords_locked(const Prediction& prediction, Nanoseconds now) const {
  const Nanoseconds expected = at_least_nothing(prediction.expected);
  const Nanoseconds run = std::max(running_locked(now), expected_);
  return prediction.longest <= most(prediction.call) &&
         spent_.total() + reserved_ + expected <= budget_.share * run + budget_.reinvested * saved_;
}

void StallBudget::expect(Nanoseconds further) {
  const std::lock_guard lock(mutex_);
  expected_ += further;
}

Nanoseconds StallBudget::most(Nanoseconds call) const {
  return budget_.longest.value_or(nanoseconds_from_ms(5.0) + 2.0 * call);
}

bool StallBudget::affords(const Prediction& prediction, Nanoseconds now) const {
  const std::lock_guard lock(mutex_);
  return affords_locked(prediction, now);
}

bool StallBudget::reserve(const Prediction& prediction, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  const bool affordable = affords_locked(prediction, now);
  if (affordable) reserved_ += at_least_nothing(prediction.expected);
  return affordable;
}

void StallBudget::settle(Nanoseconds expected, Nanoseconds came_to, Nanoseconds Stalls::*part) {
  const std::lock_guard lock(mutex_);
  reserved_ = at_least_nothing(reserved_ - at_least_nothing(expected));
  spent_.*part += at_least_nothing(came_to);
}

void StallBudget::charge(Nanoseconds stall, Nanoseconds Stalls::*part) { settle(Nanoseconds(), stall, part); }

void StallBudget::save(Nanoseconds saved) {
  const std::lock_guard lock(mutex_);
  saved_ += at_least_nothing(saved);
}

void StallBudget::note_call(Nanoseconds stall) {
  const std::lock_guard lock(mutex_);
  ++histogram_.counts[bin_of(stall)];
  longest_ = std::max(longest_, stall);
}

Stalls StallBudget::stalls() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

Nanoseconds StallBudget::saved() const {
  const std::lock_guard lock(mutex_);
  return saved_;
}

Nanoseconds StallBudget::longest() const {
  const std::lock_guard lock(mutex_);
  return longest_;
}

StallHistogram StallBudget::histogram() const {
  const std::lock_guard lock(mutex_);
  return histogram_;
}

Nanoseconds StallBudget::running(Nanoseconds now) const {
  const std::lock_guard lock(mutex_);
  return running_locked(now);
}

}  // namespace wattune::dynamic
