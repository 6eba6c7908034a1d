#include "wattune/schedule/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::schedule {

namespace {

struct NamedGoal {
  Goal goal;
  std::string_view name;
  std::string_view explanation;
};
constexpr std::array kGoals = {NamedGoal{Goal::throughput, "throughput", "work per time"},
                               NamedGoal{Goal::energy, "energy", "operations per joule"},
                               NamedGoal{Goal::energy_delay, "edp", "energy times time"}};

const NamedGoal& named(Goal goal) { return *std::ranges::find(kGoals, goal, &NamedGoal::goal); }

}  // namespace

std::string_view to_string(Goal goal) { return named(goal).name; }

Result<Goal> find_goal(std::string_view name) {
  const auto found = std::ranges::find(kGoals, name, &NamedGoal::name);
  if (found != kGoals.end()) return found->goal;
  std::vector<std::string> names;
  for (const NamedGoal& goal : kGoals) names.emplace_back(goal.name);
  return Error(ErrorCode::not_found, "no such objective of kernels together")
      .about(std::string(name))
      .hint(suggest(name, names));
}

std::string describe(const Objective& objective) {
  std::string text(named(objective.goal).explanation);
  if (objective.most_slowdown)
    text += fmt::format(", no kernel slower by more than {:g} %", 100.0 * *objective.most_slowdown);
  if (objective.power_cap) text += fmt::format(", at most {:g} W", objective.power_cap->value());
  return text;
}

}  // namespace wattune::schedule
