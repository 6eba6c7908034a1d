#include "wattune/search/stop_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::search {

namespace {

constexpr std::uint64_t kMostSkippedInARow = 10'000;
constexpr auto kMaxEvaluations = std::numeric_limits<std::uint64_t>::max();

// Returns the number of evaluations that make up this share of the space, at least one.
std::uint64_t evaluations_of(double fraction, Uint128 space_size) {
  const double wanted = std::ceil(fraction * to_double(space_size));
  if (wanted >= static_cast<double>(kMaxEvaluations)) return kMaxEvaluations;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
}

Error invalid(std::string_view rule, std::string_view condition, double value) {
  return Error(ErrorCode::invalid_argument, fmt::format("{} must be {}", rule, condition))
      .about(fmt::format("{}", value));
}

}  // namespace

Result<void> StopRule::validate() const {
  if (fraction && !(*fraction > 0.0 && *fraction <= 1.0))
    return invalid("fraction", "above 0 and at most 1", *fraction);
  if (evaluations && *evaluations == 0) return invalid("evaluations", "1 or more", 0);
  if (no_improvement && *no_improvement == 0) return invalid("no-improvement", "1 or more evaluations", 0);
  if (time && !(time->value() >= 0.0)) return invalid("time", "0 or more nanoseconds", time->value());
  if (target && !(*target >= 0.0)) return invalid("target", "0 or more nanoseconds", *target);
  return {};
}

std::optional<StopReason> StopRule::reason_to_stop(const Progress& progress) const {
  const std::uint64_t done = progress.evaluations;
  if (target && progress.best_objective && *progress.best_objective <= *target)
    return StopReason{StopCause::target, fmt::format("target of {} ms reached", to_ms(Nanoseconds(*target)))};
  if (evaluations && done >= *evaluations)
    return StopReason{StopCause::evaluations, fmt::format("{} evaluation{} done", done, done == 1 ? "" : "s")};
  if (fraction && done >= evaluations_of(*fraction, progress.space_size))
    return StopReason{StopCause::fraction,
                      fmt::format("{} evaluations done, {:.4g} % of the space", done, 100.0 * *fraction)};
  if ((evaluations || fraction || no_improvement) && progress.skipped_in_a_row >= kMostSkippedInARow)
    return StopReason{StopCause::skipped,
                      fmt::format("{} configurations in a row were skipped", progress.skipped_in_a_row)};
  if (no_improvement && progress.since_improvement >= *no_improvement)
    return StopReason{StopCause::no_improvement,
                      fmt::format("no improvement in {} evaluations", progress.since_improvement)};
  if (time && progress.elapsed >= *time)
    return StopReason{StopCause::time, fmt::format("{:.4g} s passed", to_seconds(*time))};
  return std::nullopt;
}

std::optional<std::uint64_t> StopRule::evaluations_left(const Progress& progress) const {
  if (!evaluations && !fraction) return std::nullopt;
  const std::uint64_t wanted = std::min(evaluations.value_or(kMaxEvaluations),
                                        fraction ? evaluations_of(*fraction, progress.space_size) : kMaxEvaluations);
  return wanted > progress.evaluations ? wanted - progress.evaluations : 0;
}

}  // namespace wattune::search
