// The objective for which `wattune corun` chooses pairs, as users give it, and the checks against a machine.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/schedule/objective.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::cli {

struct CorunObjective {
  std::optional<schedule::Goal> goal;
  std::optional<double> slowdown;
  std::optional<Watts> power_cap;

  bool is_given() const { return goal || slowdown || power_cap; }
  schedule::Objective value() const { return {goal.value_or(schedule::Goal::throughput), slowdown, power_cap}; }
};

void declare_objective(CLI::App& app, CorunObjective& objective);

// True if a policy chooses pairs by the objective.
bool heeds_objective(const std::string& policy);
// Fails with invalid_argument if none of the policies heeds the objective.
Result<void> check_objective(const schedule::Objective& objective, const std::vector<std::string>& policies);
// Fails with invalid_argument if the board exceeds the cap while it idles or while a kernel runs alone.
Result<void> check_power_cap(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels);
// Fails with invalid_argument if a kernel alone keeps the limits at none of the clocks that may be set.
Result<void> check_best_clocks(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels);
// Fails with invalid_argument if pairs are forecast to run together without limits, but none within them at any ratio.
Result<void> check_pairs(const schedule::Objective& objective, const schedule::PairTable& limited,
                         const schedule::PairTable& free, std::span<const schedule::KernelTraits> kernels);

}  // namespace wattune::cli
