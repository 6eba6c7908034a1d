#include "tune/adaptive_limits.h"

#include <algorithm>

namespace wattune::tune {

namespace {

// Never wider than what the user allowed at first, even where a floor is.
Nanoseconds tightened(Nanoseconds first, Nanoseconds floor, double factor, const std::optional<Nanoseconds>& seen) {
  return seen ? std::min(first, std::max(floor, *seen * factor)) : first;
}

}  // namespace

Nanoseconds AdaptiveLimits::compile() const {
  return tightened(limits_.compile, limits_.compile_floor, limits_.compile_factor, slowest_compile_);
}

Nanoseconds AdaptiveLimits::run() const {
  return tightened(limits_.run, limits_.run_floor, limits_.run_factor, fastest_run_);
}

void AdaptiveLimits::saw_compile(Nanoseconds time) {
  slowest_compile_ = std::max(slowest_compile_.value_or(time), time);
}

void AdaptiveLimits::saw_run(Nanoseconds median) { fastest_run_ = std::min(fastest_run_.value_or(median), median); }

Result<void> Limits::validate() const {
  const auto invalid = [](const char* message) { return Error(ErrorCode::invalid_argument, message); };
  constexpr Nanoseconds kNone{0.0};
  if (!(compile > kNone) || !(run > kNone) || !(reference.value_or(run) > kNone))
    return invalid("a limit of time must be positive");
  if (!(compile_floor > kNone) || !(run_floor > kNone)) return invalid("the floor of a limit must be positive");
  if (!(compile_factor >= 1.0) || !(run_factor >= 1.0)) return invalid("the factor of a limit must be at least 1");
  return {};
}

}  // namespace wattune::tune
