// The option of `wattune corun` for the objective by which pairs are chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "wattune/schedule/forecast.h"

namespace wattune::cli {

struct CorunObjective {
  std::optional<schedule::Goal> goal;
  std::optional<double> slowdown;
  std::optional<Watts> power_cap;

  // Returns the first option of the objective that the user gave; empty if there is none.
  std::string given_option() const {
    if (goal) return "--objective";
    if (slowdown) return "--slowdown";
    return power_cap ? "--power-cap" : "";
  }
  bool is_given() const { return !given_option().empty(); }
  schedule::Objective value() const { return {goal.value_or(schedule::Goal::throughput), slowdown, power_cap}; }
};

void declare_objective(CLI::App& app, CorunObjective& objective);

}  // namespace wattune::cli
