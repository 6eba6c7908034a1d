#include "model/interface/clock_advisor.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/normal.h"
#include "model/clock_curves.h"

namespace wattune::inline v0_1::model {

namespace {

Result<void> check_goal(const ClockGoal& goal) {
  const bool is_slowdown = !goal.slowdown || (*goal.slowdown >= 0.0 && std::isfinite(*goal.slowdown));
  if (is_slowdown && goal.confidence >= 0.0 && goal.confidence <= 1.0) return {};
  return Error(ErrorCode::invalid_argument, "a slowdown is at least 0 and a confidence between 0 and 1")
      .about(fmt::format("{}, {}", goal.slowdown.value_or(0.0), goal.confidence))
      .with_context("clock advice");
}

double longest_log_time(const ClockGoal& goal) {
  return goal.slowdown ? std::log1p(*goal.slowdown) : std::numeric_limits<double>::infinity();
}

Likely<double> value_in_range(double expected, double mean, double deviation) {
  return {expected, std::exp(mean - kNormal95 * deviation), std::exp(mean + kNormal95 * deviation)};
}

ClockEstimate estimate_of(Megahertz clock, const Outlook& outlook) {
  return {clock, value_in_range(std::exp(outlook.mean.time), outlook.mean.time, outlook.deviation.time),
          value_in_range(outlook.expected_energy(), outlook.mean.energy, outlook.deviation.energy), outlook.measured};
}

// Returns the place of the best clock, the higher of two with equal energy. The highest clock always keeps the goal.
std::size_t best_of(const std::vector<Outlook>& outlooks, const ClockGoal& goal) {
  std::size_t best = outlooks.size() - 1;
  for (std::size_t i = best; i-- > 0;)
    if (outlooks[i].chance_within(longest_log_time(goal)) >= goal.confidence &&
        outlooks[i].expected_energy() < outlooks[best].expected_energy())
      best = i;
  return best;
}

double least_measured_energy(const std::vector<Outlook>& outlooks, double longest) {
  double least = 0.0;
  for (const Outlook& outlook : outlooks)
    if (outlook.measured && outlook.mean.time <= longest) least = std::min(least, outlook.mean.energy);
  return least;
}

std::optional<NextClock> next_of(const std::vector<Megahertz>& clocks, const std::vector<Outlook>& outlooks,
                                 double longest) {
  const double least = least_measured_energy(outlooks, longest);
  std::optional<NextClock> next;
  for (std::size_t i = clocks.size(); i-- > 0;) {
    if (outlooks[i].measured) continue;
    const double gain = outlooks[i].chance_within(longest) * outlooks[i].expected_gain_on(least);
    if (!next || gain > next->gain) next = NextClock{clocks[i], gain};
  }
  return next;
}

}  // namespace

Result<ClockAdvisor> ClockAdvisor::learn(std::span<const KernelOverClocks> kernels) {
  WATTUNE_ASSIGN(auto curves, ClockCurves::learn(kernels));
  return ClockAdvisor(std::make_shared<const ClockCurves>(std::move(curves)));
}

const std::vector<Megahertz>& ClockAdvisor::clocks() const { return curves_->clocks(); }

Result<std::vector<ClockEstimate>> ClockAdvisor::estimate(const KernelOverClocks& kernel) const {
  WATTUNE_ASSIGN(const auto outlooks, curves_->outlooks(kernel));
  std::vector<ClockEstimate> estimates;
  for (std::size_t i = 0; i < outlooks.size(); ++i) estimates.push_back(estimate_of(clocks()[i], outlooks[i]));
  return estimates;
}

Result<ClockAdvice> ClockAdvisor::advise(const KernelOverClocks& kernel, const ClockGoal& goal) const {
  WATTUNE_TRY(check_goal(goal));
  WATTUNE_ASSIGN(const auto outlooks, curves_->outlooks(kernel));
  const double longest = longest_log_time(goal);
  const std::size_t best = best_of(outlooks, goal);
  return ClockAdvice{.at = estimate_of(clocks()[best], outlooks[best]),
                     .chance = outlooks[best].chance_within(longest),
                     .next = next_of(clocks(), outlooks, longest)};
}

}  // namespace wattune::model
