#include "cli/corun_objective.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/text.h"
#include "wattune/schedule/policy.h"

namespace wattune::cli {

namespace {

Result<schedule::Goal> parse_goal(std::string_view text) { return schedule::find_goal(text); }

Result<Watts> parse_watts(std::string_view text) {
  WATTUNE_ASSIGN(const double watts, parse_number(text));
  if (watts > 0.0) return Watts(watts);
  return Error(ErrorCode::invalid_argument, "a power cap is above 0 W").about(std::string(text));
}

Error too_low(const schedule::Objective& objective, const std::string& why) {
  return Error(ErrorCode::invalid_argument, "--power-cap: " + why)
      .about(fmt::format("{:g} W", objective.power_cap->value()))
      .hint("clocks stay as the board has them, unless --clocks may choose them");
}

bool shares_sms(const schedule::PairForecast& forecast) { return forecast.ratio.first > 0; }

}  // namespace

void declare_objective(CLI::App& app, CorunObjective& objective) {
  app.option_defaults()->group("Objective of queues");
  add_parsed(app, "--objective", objective.goal, parse_goal, "throughput|energy|edp",
             "What paired and greedy choose pairs and ratios for: work per time, per joule, or per joule and second; "
             "paired for throughput runs beside it")
      ->default_str("throughput");
  add_parsed(app, "--slowdown", objective.slowdown, parse_percent, "PERCENT",
             "No kernel runs beside another at ratios that make it slower than alone by more than this; waiting does "
             "not count");
  add_parsed(app, "--power-cap", objective.power_cap, parse_watts, "WATTS",
             "No pair runs that is expected to draw more than this");
}

bool heeds_objective(const std::string& policy) {
  const auto found = std::ranges::find(schedule::policies(), policy, &schedule::PolicyTraits::name);
  return found != schedule::policies().end() && found->heeds_objective;
}

Result<void> check_objective(const schedule::Objective& objective, const std::vector<std::string>& policies) {
  if (objective == schedule::Objective{} || std::ranges::any_of(policies, heeds_objective)) return {};
  return Error(ErrorCode::invalid_argument, "none of these policies heeds an objective")
      .about(fmt::format("{}", fmt::join(policies, ",")))
      .hint("--policies paired does");
}

Result<void> check_power_cap(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels) {
  if (!objective.power_cap) return {};
  for (const schedule::KernelTraits& kernel : kernels) {
    if (kernel.power.idle >= *objective.power_cap)
      return too_low(objective, fmt::format("this board draws {:.0f} W while nothing runs", kernel.power.idle.value()));
    if (kernel.power.alone > *objective.power_cap)
      return too_low(objective, fmt::format("{} draws {:.0f} W alone", kernel.name, kernel.power.alone.value()));
  }
  return {};
}

Result<void> check_best_clocks(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels) {
  const auto found =
      std::ranges::find_if(kernels, [](const schedule::KernelTraits& kernel) { return !kernel.best_clocks; });
  if (found == kernels.end()) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} alone keeps the limits at none of these clocks", found->name))
      .about(describe(objective))
      .hint("name others with --clocks, or raise --slowdown or --power-cap");
}

Result<void> check_pairs(const schedule::Objective& objective, const schedule::PairTable& limited,
                         const schedule::PairTable& free, std::span<const schedule::KernelTraits> kernels) {
  bool any = false;
  for (schedule::KernelId i = 0; i < kernels.size(); ++i)
    for (schedule::KernelId j = i + 1; j < kernels.size(); ++j) {
      if (const auto forecast = limited.find(i, j); forecast && shares_sms(*forecast)) return {};
      if (const auto forecast = free.find(i, j); forecast && shares_sms(*forecast)) any = true;
    }
  if (!any) return {};
  return Error(ErrorCode::invalid_argument, "no pair keeps these limits at any ratio")
      .about(describe(objective))
      .hint("raise --slowdown or --power-cap; without them --explain shows what pairs would take");
}

}  // namespace wattune::cli
