// Objective: the goal for which pairs and their ratios are chosen, and the limits that they must keep.
//
// Values; any thread. merit() in schedule/forecast.h tells how good a pair is for an objective.
//
//   WATTUNE_ASSIGN(const schedule::Goal goal, schedule::find_goal("energy"));
//   const schedule::Objective thrifty{.goal = goal, .most_slowdown = 0.10};
//   const auto policy = schedule::find_policy("paired", {.objective = thrifty});
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::schedule {

enum class Goal {
  throughput,    // work per time
  energy,        // work per joule
  energy_delay,  // work per joule and second
};
std::string_view to_string(Goal goal);  // "throughput", "energy", "edp"
// Finds a goal by its name. Fails with not_found, with the names of all goals.
Result<Goal> find_goal(std::string_view name);

struct Objective {
  Goal goal = Goal::throughput;
  // How much more time than alone at the board's own clocks each kernel may take while it runs, as a share of that;
  // waiting is not counted. Without a limit if nullopt.
  std::optional<double> most_slowdown = {};
  // Most mean power of the board while two kernels run. A kernel that runs alone is not limited by it.
  std::optional<Watts> power_cap = {};

  bool needs_power() const { return goal != Goal::throughput || power_cap.has_value(); }
  bool has_limits() const { return most_slowdown || power_cap; }
  bool operator==(const Objective&) const = default;
};
// Returns a text such as "operations per joule, no kernel slower by more than 10 %".
std::string describe(const Objective& objective);

}  // namespace wattune::schedule
