// Objective: what pairs and their ratios are chosen for, and which of them must not be chosen.
//
// Values; any thread. schedule/forecast.h says how good a pair is for one: merit().
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
// not_found, with those that there are.
Result<Goal> find_goal(std::string_view name);

struct Objective {
  Goal goal = Goal::throughput;
  // By how much more time than alone at the board's own clocks each kernel may take while it runs, as a share of that;
  // waiting is not counted. None: as it comes.
  std::optional<double> most_slowdown = {};
  // What the board may draw by mean while two run; who runs alone runs whatever it draws.
  std::optional<Watts> power_cap = {};

  bool needs_power() const { return goal != Goal::throughput || power_cap.has_value(); }
  bool has_limits() const { return most_slowdown || power_cap; }
  bool operator==(const Objective&) const = default;
};
// "operations per joule, no kernel slower by more than 10 %".
std::string describe(const Objective& objective);

}  // namespace wattune::schedule
