#include "wattune/model/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::model {

namespace {

Result<double> ipc_alone(const ChainSm& sm, const PairKernel& kernel, const ChainOptions& options) {
  const WarpLoad load{kernel.profile, kernel.blocks_alone * kernel.warps_per_block};
  WATTUNE_ASSIGN(const auto ipc, instructions_per_cycle(sm, {&load, 1}, options));
  return ipc.front();
}

// Returns the number of cycles that a wave of `blocks` takes: I P / IPC of equation 8.
double wave_cycles(const PairKernel& kernel, unsigned blocks, double ipc) {
  return kernel.instructions_per_block * blocks / ipc;
}

Result<PairPlan> predict_together(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                                  BlockRatio ratio, std::array<double, 2> alone, const ChainOptions& options) {
  const std::array loads = {WarpLoad{first.profile, ratio.first * first.warps_per_block},
                            WarpLoad{second.profile, ratio.second * second.warps_per_block}};
  WATTUNE_ASSIGN(const auto ipc, instructions_per_cycle(sm, loads, options));
  PairPlan plan{.ratio = ratio, .ipc = {ipc[0], ipc[1]}, .ipc_alone = alone};
  plan.speedup = speedup_together(plan.ipc, alone);
  plan.profit = coscheduling_profit(plan.speedup);
  const double first_cycles = wave_cycles(first, ratio.first, ipc[0]);
  const double second_cycles = wave_cycles(second, ratio.second, ipc[1]);
  plan.imbalance = std::abs(first_cycles - second_cycles) / std::max(first_cycles, second_cycles);
  plan.blocks_of_first_per_second = ipc[0] / first.instructions_per_block * second.instructions_per_block / ipc[1];
  return plan;
}

Result<std::array<double, 2>> both_alone(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                                         const ChainOptions& options) {
  WATTUNE_ASSIGN(const double of_first, ipc_alone(sm, first, options));
  WATTUNE_ASSIGN(const double of_second, ipc_alone(sm, second, options));
  return std::array{of_first, of_second};
}

bool is_better(const PairPlan& plan, const PairPlan& than, RatioRule rule) {
  return rule == RatioRule::balanced ? plan.imbalance < than.imbalance : plan.profit > than.profit;
}

}  // namespace

double speedup_together(std::span<const double> ipc_together, std::span<const double> ipc_alone) {
  double speedup = 0.0;
  for (std::size_t i = 0; i < ipc_together.size(); ++i) speedup += ipc_together[i] / ipc_alone[i];
  return speedup;
}

double coscheduling_profit(double speedup) { return 1.0 - 1.0 / speedup; }

Result<PairPlan> predict_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second, BlockRatio ratio,
                              const ChainOptions& options) {
  WATTUNE_ASSIGN(const auto alone, both_alone(sm, first, second, options));
  return predict_together(sm, first, second, ratio, alone, options);
}

Result<PairPlan> plan_pair(const ChainSm& sm, const PairKernel& first, const PairKernel& second,
                           std::span<const BlockRatio> ratios, RatioRule rule, const ChainOptions& options) {
  if (ratios.empty())
    return Error(ErrorCode::invalid_argument, "there is no ratio to choose from")
        .hint("an SM does not hold a block of each, run them one after the other")
        .with_context("pair");
  WATTUNE_ASSIGN(const auto alone, both_alone(sm, first, second, options));
  WATTUNE_ASSIGN(PairPlan best, predict_together(sm, first, second, ratios.front(), alone, options));
  for (const BlockRatio& ratio : ratios.subspan(1)) {
    WATTUNE_ASSIGN(const PairPlan plan, predict_together(sm, first, second, ratio, alone, options));
    if (is_better(plan, best, rule)) best = plan;
  }
  return best;
}

}  // namespace wattune::model
