#include "schedule/interface/clock_governor.h"

#include <string>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

// The time between signs of life. The guardian takes a borrowed board back after two minutes without a sign.
constexpr Nanoseconds kSignOfLife = nanoseconds_from_seconds(20);

}  // namespace

std::optional<Nanoseconds> ClockGovernor::due() const {
  if (!can_set() || !wanted_) return std::nullopt;
  return wanted_ == held_ ? told_at_ + kSignOfLife : changeable_at_;
}

void ClockGovernor::ask(const std::optional<Clocks>& wanted, Nanoseconds now) {
  if (wanted) wanted_ = wanted;
  if (!can_set() || !wanted_) return;
  if (wanted_ == held_) {
    if (now >= told_at_ + kSignOfLife) set(*held_, now);
  } else if (may_change(now)) {
    set(*wanted_, now);
    changeable_at_ = now + hold_;
  }
}

void ClockGovernor::set(const Clocks& wanted, Nanoseconds now) {
  auto done = control_->set(wanted);
  told_at_ = now;
  held_ = wanted;
  if (done) return;
  const Result<void> restored = give_back();
  const std::string after =
      restored ? "which are the board's own again" : "which were not restored (" + restored.error().to_string() + ")";
  refusal_ = std::move(done).error().with_context("setting clocks for kernels that run together, " + after);
}

Result<void> ClockGovernor::give_back() {
  if (control_ == nullptr || !held_) return {};
  held_.reset();
  return control_->restore();
}

void ClockGovernor::restore() {
  wanted_.reset();
  if (auto restored = give_back(); !restored && !refusal_)
    refusal_ = std::move(restored).error().with_context("clocks of kernels together were not restored");
}

}  // namespace wattune::schedule
