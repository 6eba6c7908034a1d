// Predicts the gain of running two kernels together, and chooses how many blocks of each to run.
//
// The method is that of Zhong and He, "Kernelet", equations 1 and 8 and section 4.4. The rates come from the chain of
// warp_chain.h. All functions are pure functions of values, and any thread may call them.
//
//   const auto ratios = model::feasible_ratios(gpu, a.block, b.block);
//   const auto plan = model::plan_pair(sm, a, b, *ratios);
//   if (plan && plan->profit > 0.02) run_together(plan->ratio);
#pragma once

#include <array>
#include <span>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/warp_chain.h"

namespace wattune::inline v0_1::model {

// A kernel as described to the planner.
struct WATTUNE_EXPORT PairKernel {
  WarpProfile profile;
  unsigned warps_per_block = 1;
  double instructions_per_block = 1.0;  // I: warp instructions
  unsigned blocks_alone = 1;            // blocks resident on an SM when the kernel runs alone
};

// Returns S, the sum of the rates of both kernels together, each divided by its rate alone. S is the speed-up over
// running them one after the other, if both last equally long. Preconditions: both lists have the same length; the
// rates alone are positive.
WATTUNE_EXPORT double speedup_together(std::span<const double> ipc_together, std::span<const double> ipc_alone);
// Returns CP = 1 - 1/S (equation 1), the share of time that is saved.
WATTUNE_EXPORT double coscheduling_profit(double speedup);

// The rule by which a ratio is chosen.
enum class RatioRule {
  balanced,     // the paper's rule, the least delta T (equation 8): slices of one wave end nearly together
  most_profit,  // the most profit; the numbers of blocks make slices equally long
};

// The prediction for a pair at one ratio.
struct WATTUNE_EXPORT PairPlan {
  BlockRatio ratio;
  std::array<double, 2> ipc = {};        // rates of each kernel when both run together, per SM
  std::array<double, 2> ipc_alone = {};  // rates alone, predicted by the same chain
  double speedup = 0.0;                  // S, the speed-up
  double profit = 0.0;                   // CP, the share of time that is saved
  double imbalance = 0.0;                // delta T divided by the longer of the two times, 0 to 1
  // Number of blocks of the first kernel that end in the time of one block of the second. Slices or shares with this
  // ratio last equally long.
  double blocks_of_first_per_second = 0.0;
};

// Predicts the pair at this ratio. Fails with invalid_argument as the chain does.
WATTUNE_EXPORT Result<PairPlan> predict_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                                             BlockRatio ratio, const ChainOptions& options = {});
// Returns the best plan among those with these ratios. Fails with invalid_argument as the chain does, or if the list of
// ratios is empty.
WATTUNE_EXPORT Result<PairPlan> plan_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                                          std::span<const BlockRatio> ratios, RatioRule rule = RatioRule::most_profit,
                                          const ChainOptions& options = {});

}  // namespace wattune::model
