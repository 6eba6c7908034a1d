// What `wattune corun` chooses pairs for, as users say it, and what of that a machine cannot do.
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

// Whether a policy heeds it.
bool heeds_objective(const std::string& policy);
// invalid_argument: no policy heeds it.
Result<void> check_objective(const schedule::Objective& objective, const std::vector<std::string>& policies);
// invalid_argument: a cap that the board passes while it idles, or while a kernel runs alone.
Result<void> check_power_cap(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels);
// invalid_argument: a kernel that keeps the limits at none of the clocks that may be set.
Result<void> check_best_clocks(const schedule::Objective& objective, std::span<const schedule::KernelTraits> kernels);
// invalid_argument: of pairs that were forecast without limits, none keeps them at any ratio.
Result<void> check_pairs(const schedule::Objective& objective, const schedule::PairTable& limited,
                         const schedule::PairTable& free, std::span<const schedule::KernelTraits> kernels);

}  // namespace wattune::cli
