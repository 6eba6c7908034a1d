// Checks the objective of a queue before the queue runs: against the policies, the kernels and the board.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// True if a policy chooses pairs by the objective and its limits.
bool heeds_objective(const std::string& policy);
// Checks that some policy heeds the objective. Fails with invalid_argument if none does.
Result<void> check_objective(const Objective& objective, const std::vector<std::string>& policies);
inline constexpr const char* kNetworkPolicy = "greedy";  // the policy in which networks decide
// Checks that the board can keep the power cap. Fails with invalid_argument if it reaches the cap while it idles, or
// exceeds the cap while a kernel runs alone.
Result<void> check_power_cap(const Objective& objective, std::span<const KernelTraits> kernels);
// Checks that each kernel alone keeps the limits at some of the clocks that may be set. Fails with invalid_argument if
// one does not.
Result<void> check_best_clocks(const Objective& objective, std::span<const KernelTraits> kernels);
// Checks that limits do not forbid all pairs. Fails with invalid_argument if pairs are forecast to run together without
// limits, but no pair runs within the limits at any ratio.
Result<void> check_pairs(const Objective& objective, const PairTable& limited, const PairTable& free,
                         std::span<const KernelTraits> kernels);

}  // namespace wattune::schedule
