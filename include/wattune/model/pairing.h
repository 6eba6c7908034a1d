// Pairs of kernels: what running two together is predicted to gain, and with how many blocks of each.
//
// Zhong and He, "Kernelet", equations 1 and 8 and section 4.4, on the chain of warp_chain.h. Pure functions of values;
// any thread may call.
//
//   const auto ratios = model::feasible_ratios(gpu, a.block, b.block);
//   const auto plan = model::plan_pair(sm, a, b, *ratios);
//   if (plan && plan->profit > 0.02) run_together(plan->ratio);
#pragma once

#include <array>
#include <span>

#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/model/warp_chain.h"

namespace wattune::model {

// A kernel as the planner sees it.
struct PairKernel {
  WarpProfile profile;
  unsigned warps_per_block = 1;
  double instructions_per_block = 1.0;  // I: of warps
  unsigned blocks_alone = 1;            // resident on an SM where it runs alone
};

// S: the sum of each kernel's rate together over its rate alone; how much faster the pair is than one after the other
// when both last equally long. Preconditions: as many of each, those alone positive.
double speedup_together(std::span<const double> ipc_together, std::span<const double> ipc_alone);
// CP = 1 - 1/S (equation 1): the share of time that is saved.
double coscheduling_profit(double speedup);

enum class RatioRule {
  balanced,     // the paper's: slices of one wave end as nearly together as they can, the least delta T (equation 8)
  most_profit,  // the most profit; slices are made equally long by their numbers of blocks
};

struct PairPlan {
  BlockRatio ratio;
  std::array<double, 2> ipc = {};        // of each kernel, together, per SM
  std::array<double, 2> ipc_alone = {};  // predicted by the same chain
  double speedup = 0.0;                  // S
  double profit = 0.0;                   // CP
  double imbalance = 0.0;                // delta T over the longer of the two times, 0 to 1
  // Blocks of the first kernel that end while one of the second does: what slices or shares must keep to last equally
  // long.
  double blocks_of_first_per_second = 0.0;
};

// The plan for this ratio.
Result<PairPlan> predict_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second, BlockRatio ratio,
                              const ChainOptions& options = {});
// The best of these ratios. invalid_argument, as the chain's, or where there is no ratio.
Result<PairPlan> plan_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                           std::span<const BlockRatio> ratios, RatioRule rule = RatioRule::most_profit,
                           const ChainOptions& options = {});

}  // namespace wattune::model
