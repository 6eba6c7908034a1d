#include "model/interface/clock_advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/normal.h"
#include "model/clock_curves.h"

namespace wattune::inline v0_1::model {

namespace {

Result<void> check_goal(const ClockGoal& goal) {
  const bool is_slowdown = !goal.slowdown || (*goal.slowdown >= 0.0 && std::isfinite(*goal.slowdown));
  if (!is_slowdown || !(goal.confidence >= 0.0 && goal.confidence <= 1.0))
    return Error(ErrorCode::invalid_argument, "a slowdown is at least 0 and a confidence between 0 and 1")
        .about(fmt::format("{}, {}", goal.slowdown.value_or(0.0), goal.confidence))
        .with_context("clock advice");
  if (!goal.power || *goal.power > Watts(0)) return {};
  return Error(ErrorCode::invalid_argument, "a cap of power is above 0")
      .about(fmt::format("{} W", goal.power->value()))
      .with_context("clock advice");
}

// The limits of a goal in the form of Outlook: as logarithms, relative to the values at the highest clock.
struct LogGoal {
  double longest = std::numeric_limits<double>::infinity();
  double most_power = std::numeric_limits<double>::infinity();
  double confidence = 0.9;

  double chance_of(const Outlook& outlook) const {
    return outlook.chance_within(longest) * outlook.chance_below(most_power);
  }
};

LogGoal log_goal(const ClockGoal& goal, Watts at_highest) {
  LogGoal its{.confidence = goal.confidence};
  if (goal.slowdown) its.longest = std::log1p(*goal.slowdown);
  if (goal.power) its.most_power = std::log(*goal.power / at_highest);
  return its;
}

Likely<double> value_in_range(double expected, double mean, double deviation) {
  return {expected, std::exp(mean - kNormal95 * deviation), std::exp(mean + kNormal95 * deviation)};
}

ClockEstimate estimate_of(Megahertz clock, const Outlook& outlook) {
  return {clock, value_in_range(std::exp(outlook.mean.time), outlook.mean.time, outlook.deviation.time),
          value_in_range(outlook.expected_energy(), outlook.mean.energy, outlook.deviation.energy), outlook.measured};
}

// Returns the position of the clock with the least energy among those that meet the goal; of two with equal energy, the
// higher one. Returns nullopt if no clock meets the goal.
std::optional<std::size_t> best_of(const std::vector<Outlook>& outlooks, const LogGoal& goal) {
  std::optional<std::size_t> best;
  for (std::size_t i = outlooks.size(); i-- > 0;)
    if (goal.chance_of(outlooks[i]) >= goal.confidence &&
        (!best || outlooks[i].expected_energy() < outlooks[*best].expected_energy()))
      best = i;
  return best;
}

// Returns the least measured energy among clocks that meet the goal; the energy at the highest clock if none does.
double least_measured_energy(const std::vector<Outlook>& outlooks, const LogGoal& goal) {
  std::optional<double> least;
  for (const Outlook& outlook : outlooks)
    if (outlook.measured && goal.chance_of(outlook) > 0.0)
      least = std::min(least.value_or(outlook.mean.energy), outlook.mean.energy);
  return least.value_or(0.0);
}

std::optional<NextClock> next_of(const std::vector<Megahertz>& clocks, const std::vector<Outlook>& outlooks,
                                 const LogGoal& goal) {
  const double least = least_measured_energy(outlooks, goal);
  std::optional<NextClock> next;
  for (std::size_t i = clocks.size(); i-- > 0;) {
    if (outlooks[i].measured) continue;
    const double gain = goal.chance_of(outlooks[i]) * outlooks[i].expected_gain_on(least);
    if (!next || gain > next->gain) next = NextClock{clocks[i], gain};
  }
  return next;
}

double regret_of(const std::vector<Outlook>& outlooks, std::size_t best, const LogGoal& goal) {
  double regret = 0.0;
  for (std::size_t i = 0; i < outlooks.size(); ++i)
    if (i != best)
      regret = std::max(regret, goal.chance_of(outlooks[i]) * outlooks[i].expected_gain_on(outlooks[best]));
  return regret;
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
  const Watts at_highest = std::ranges::max(kernel.runs, {}, &ClockRun::clock).power;
  const LogGoal limits = log_goal(goal, at_highest);
  const std::optional<std::size_t> best = best_of(outlooks, limits);
  if (!best)
    return Error(ErrorCode::not_found, "no clock keeps the limits surely enough")
        .about(fmt::format("{:.3g} W at {:g} MHz", at_highest.value(), clocks().back().value()))
        .hint("raise the slowdown or the cap of power, lower the confidence, or measure more clocks")
        .with_context("clock advice");
  return ClockAdvice{.at = estimate_of(clocks()[*best], outlooks[*best]),
                     .chance = limits.chance_of(outlooks[*best]),
                     .regret = regret_of(outlooks, *best, limits),
                     .next = next_of(clocks(), outlooks, limits)};
}

}  // namespace wattune::model
