#include "tune/evaluate/adaptive_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/logging.h"

namespace wattune::inline v0_1::tune {

namespace {

// Returns the tightened limit. It is never longer than the limit `first`, which the user gave, even if the floor is.
Nanoseconds tightened(Nanoseconds first, Nanoseconds floor, double factor, const std::optional<Nanoseconds>& seen) {
  return seen ? std::min(first, std::max(floor, *seen * factor)) : first;
}

std::string in_words(Nanoseconds limit, Nanoseconds first, std::string_view name, std::string_view what,
                     const std::optional<Nanoseconds>& seen) {
  if (limit == first) return fmt::format("its {} of {:g} s", name, to_seconds(limit));
  return fmt::format("its {} of {:g} s ({:g} s, tightened because the {} so far took {:.3g} s)", name,
                     to_seconds(limit), to_seconds(first), what, to_seconds(*seen));
}

}  // namespace

Nanoseconds AdaptiveLimits::compile() const {
  if (wide_) return limits_.compile;
  return tightened(limits_.compile, limits_.compile_floor, limits_.compile_factor, slowest_compile_);
}

Nanoseconds AdaptiveLimits::run() const {
  if (wide_) return limits_.run;
  return tightened(limits_.run, limits_.run_floor, limits_.run_factor, fastest_run_);
}

std::string AdaptiveLimits::compile_in_words() const {
  return in_words(compile(), limits_.compile, "compile limit", "longest compile", slowest_compile_);
}

std::string AdaptiveLimits::run_in_words() const {
  return in_words(run(), limits_.run, "run limit", "fastest run", fastest_run_);
}

void AdaptiveLimits::saw_compile(Nanoseconds time) {
  const Nanoseconds before = compile();
  slowest_compile_ = std::max(slowest_compile_.value_or(time), time);
  if (compile() != before) log_debug("compiling has {}", compile_in_words());
}

void AdaptiveLimits::saw_run(Nanoseconds median) {
  const Nanoseconds before = run();
  fastest_run_ = std::min(fastest_run_.value_or(median), median);
  if (run() != before) log_debug("a run has {}", run_in_words());
}

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
