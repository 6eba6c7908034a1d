#include "cli/plan.h"

#include <fmt/format.h>

#include "cli/text.h"

namespace wattune::cli {

namespace {

// Spaces up to this size are searched completely when nothing else is said.
constexpr std::uint64_t kSmallSpace = 200;
constexpr double kDefaultMinutes = 5.0;

bool has_rule(const search::StopRule& stop) {
  return stop.evaluations || stop.time || stop.target || stop.fraction || stop.no_improvement;
}

search::StopRule from_budget(const Budget& budget) {
  search::StopRule stop{.evaluations = budget.evaluations, .fraction = budget.fraction};
  if (budget.seconds) stop.time = nanoseconds_from_seconds(*budget.seconds);
  return stop;
}

// Whether the rules leave room to measure every configuration.
bool allows_everything(const search::StopRule& stop, Uint128 count) {
  search::Progress nothing_done;
  nothing_done.space_size = count;
  const auto evaluations = stop.evaluations_left(nothing_done);
  return evaluations ? *evaluations >= count : count <= kSmallSpace;
}

std::string describe(const search::StopRule& stop) {
  std::string text;
  const auto add = [&](const std::string& rule) { text += (text.empty() ? "" : ", ") + rule; };
  if (stop.evaluations) add(counted(*stop.evaluations, "evaluation"));
  if (stop.fraction) add(fmt::format("{:.4g} % of the space", 100.0 * *stop.fraction));
  if (stop.time) add(format_wait(to_seconds(*stop.time)));
  if (stop.target) add(fmt::format("a time of {} or less", format_time(Nanoseconds(*stop.target))));
  if (stop.no_improvement) add(counted(*stop.no_improvement, "evaluation") + " without improvement");
  return text.empty() ? "the whole space" : text;
}

}  // namespace

Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy,
               const search::StopRule& wanted) {
  Plan plan{.strategy = strategy.empty() ? spec.strategy : strategy, .stop = wanted, .explanation = {}};
  std::string source;
  if (!has_rule(plan.stop)) {
    plan.stop = from_budget(spec.budget);
    if (has_rule(plan.stop)) source = " (the spec's budget)";
  }
  const bool limited = has_rule(plan.stop);
  if (plan.strategy.empty()) {
    plan.strategy = allows_everything(plan.stop, space.count()) && space.exact() ? "exhaustive" : "auto";
  }
  if (!limited && plan.strategy != "exhaustive" && space.count() > kSmallSpace) {
    plan.stop.time = nanoseconds_from_seconds(60.0 * kDefaultMinutes);
    source = " (the default; --time, --evaluations or --fraction choose another)";
  }
  plan.explanation = fmt::format("{}, strategy {}, until {}{}", counted(space.count(), "valid configuration"),
                                 plan.strategy, describe(plan.stop), source);
  return plan;
}

}  // namespace wattune::cli
