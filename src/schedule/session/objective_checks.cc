#include "schedule/session/objective_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/interface/policy.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {

namespace {

Error too_low(const Objective& objective, const std::string& why) {
  return Error(ErrorCode::invalid_argument, "power cap: " + why)
      .about(fmt::format("{:g} W", objective.power_cap->value()))
      .hint("raise the power cap, or allow lower clocks to be set");
}

bool shares_sms(const PairForecast& forecast) { return forecast.ratio.first > 0; }

}  // namespace

bool heeds_objective(const std::string& policy) {
  const auto found = std::ranges::find(policies(), policy, &PolicyTraits::name);
  return found != policies().end() && found->heeds_objective;
}

Result<void> check_objective(const Objective& objective, const std::vector<std::string>& policies) {
  if (objective == Objective{} || std::ranges::any_of(policies, heeds_objective)) return {};
  return Error(ErrorCode::invalid_argument, "none of these policies plans by an objective")
      .about(fmt::format("{}", fmt::join(policies, ",")))
      .hint("paired does");
}

Result<void> check_networks(const std::vector<std::string>& policies, const Objective& objective) {
  if (objective.goal != Goal::energy || objective.has_limits())
    return Error(ErrorCode::invalid_argument, "networks predict operations per joule only, and neither times nor watts")
        .about(describe(objective))
        .hint("choose the objective `energy`, without limits of slowdown and power");
  if (std::ranges::find(policies, kNetworkPolicy) != policies.end()) return {};
  return Error(ErrorCode::invalid_argument, "networks decide only for the policy `greedy`")
      .about(fmt::format("{}", fmt::join(policies, ",")))
      .hint("name `greedy` among the policies");
}

Result<void> check_power_cap(const Objective& objective, std::span<const KernelTraits> kernels) {
  if (!objective.power_cap) return {};
  for (const KernelTraits& kernel : kernels) {
    if (!kernel.power) continue;
    const PowerTraits& power = *kernel.power;
    if (power.idle >= *objective.power_cap)
      return too_low(objective, fmt::format("this board draws {:.0f} W while nothing runs", power.idle.value()));
    if (power.alone > *objective.power_cap)
      return too_low(objective, fmt::format("{} draws {:.0f} W alone", kernel.name, power.alone.value()));
  }
  return {};
}

Result<void> check_best_clocks(const Objective& objective, std::span<const KernelTraits> kernels) {
  const auto found = std::ranges::find_if(kernels, [](const KernelTraits& kernel) { return !kernel.best_clocks; });
  if (found == kernels.end()) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} alone keeps the limits at none of these clocks", found->name))
      .about(describe(objective))
      .hint("name other clocks, or raise the slowdown or the power cap");
}

Result<void> check_pairs(const Objective& objective, const PairTable& limited, const PairTable& free,
                         std::span<const KernelTraits> kernels) {
  bool any = false;
  for (KernelId i = 0; i < kernels.size(); ++i)
    for (KernelId j = i + 1; j < kernels.size(); ++j) {
      if (const auto forecast = limited.find(i, j); forecast && shares_sms(*forecast)) return {};
      if (const auto forecast = free.find(i, j); forecast && shares_sms(*forecast)) any = true;
    }
  if (!any) return {};
  return Error(ErrorCode::invalid_argument, "no pair keeps these limits at any ratio")
      .about(describe(objective))
      .hint("raise the slowdown or the power cap; forecasts without them show what pairs would take");
}

}  // namespace wattune::schedule
