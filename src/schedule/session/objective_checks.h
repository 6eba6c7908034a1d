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
// Fails with invalid_argument if none of the policies heeds the objective.
Result<void> check_objective(const Objective& objective, const std::vector<std::string>& policies);
inline constexpr const char* kNetworkPolicy = "greedy";  // the policy in which networks decide
// Fails with invalid_argument if the board reaches the cap while it idles, or exceeds it while a kernel runs alone.
Result<void> check_power_cap(const Objective& objective, std::span<const KernelTraits> kernels);
// Fails with invalid_argument if there is a kernel that, alone, keeps the limits at none of the clocks that may be set.
Result<void> check_best_clocks(const Objective& objective, std::span<const KernelTraits> kernels);
// Fails with invalid_argument if pairs are forecast to run together without limits, but no pair runs within the limits
// at any ratio.
Result<void> check_pairs(const Objective& objective, const PairTable& limited, const PairTable& free,
                         std::span<const KernelTraits> kernels);

}  // namespace wattune::schedule
