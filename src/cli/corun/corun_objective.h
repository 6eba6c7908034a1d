// The option of `wattune corun` for the objective by which pairs are chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "wattune/schedule/forecast.h"

namespace wattune::cli {

struct CorunObjective {
  std::optional<schedule::Goal> goal;
  std::optional<double> slowdown;
  std::optional<Watts> power_cap;

  bool is_given() const { return goal || slowdown || power_cap; }
  schedule::Objective value() const { return {goal.value_or(schedule::Goal::throughput), slowdown, power_cap}; }
};

void declare_objective(CLI::App& app, CorunObjective& objective);

}  // namespace wattune::cli
