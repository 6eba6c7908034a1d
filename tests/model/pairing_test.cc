#include "wattune/model/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace wattune::inline v0_1::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ComputeCapability kFermi{2, 0};
constexpr ComputeCapability kKepler{3, 0};
constexpr ComputeCapability kHopper{9, 0};

constexpr ChainSm kPairSm{.schedulers = 4, .requests_per_cycle = 0.4};

PairKernel computing() { return {.profile = {.issue_distance = 4.0}, .warps_per_block = 8, .blocks_alone = 8}; }
PairKernel gathering() { return {.profile = {.stalls = {{0.2, 800.0}}}, .warps_per_block = 8, .blocks_alone = 8}; }

// S of kernels that both run at 60 % of their speed alone is 1.2, which saves a sixth of the time (equation 1).
TEST(CoschedulingProfit, IsTheShareOfTimeThatIsSaved) {
  const double speedup = speedup_together(std::array{0.6, 1.2}, std::array{1.0, 2.0});
  EXPECT_DOUBLE_EQ(speedup, 1.2);
  EXPECT_DOUBLE_EQ(coscheduling_profit(speedup), 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(coscheduling_profit(1.0), 0.0);
}

// 64 warps: 8 blocks of 8 in all, and each number of the first leaves the rest to the second.
TEST(FeasibleRatios, FillTheSm) {
  const BlockDemand block{.threads = 256, .registers = 32};
  const auto ratios = feasible_ratios(kHopper, block, block).value();
  ASSERT_EQ(ratios.size(), 7u);
  for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(ratios[i], (BlockRatio{i + 1, 7 - i}));
}

// Blocks of 100 KB: two on an SM of 228 KB with 1 KB reserved for each, or one beside small ones.
TEST(FeasibleRatios, KeepSharedMemory) {
  const BlockDemand large{.threads = 128, .registers = 32, .dynamic_shared_bytes = 100 * 1024};
  const BlockDemand small{.threads = 128, .registers = 32, .dynamic_shared_bytes = 40 * 1024};
  EXPECT_THAT(feasible_ratios(kHopper, large, small).value(), ElementsAre(BlockRatio{1, 3}));
  EXPECT_THAT(feasible_ratios(kHopper, small, large).value(),
              ElementsAre(BlockRatio{1, 1}, BlockRatio{2, 1}, BlockRatio{3, 1}));
  EXPECT_TRUE(feasible_ratios(kHopper, {.threads = 1024, .registers = 64}, small).value().empty());
}

TEST(FeasibleRatios, RefuseABlockThatNoSmHolds) {
  const auto refused = feasible_ratios(kHopper, {.threads = 1024, .registers = 128}, {.threads = 32});
  EXPECT_THAT(refused.error().to_string(), HasSubstr("no SM holds a block of this kernel: `registers`"));
}

// Blocks of one kernel fit as occupancy() says, whatever their shape.
TEST(SmRoom, AgreesWithOccupancy) {
  for (const ComputeCapability gpu : {kFermi, kKepler, kHopper}) {
    const SmRoom room = SmRoom::of(gpu).value();
    for (unsigned threads = 32; threads <= 1024; threads += 96) {
      for (unsigned count = 16; count <= 63; ++count) {
        const BlockDemand block{.threads = threads, .registers = count, .static_shared_bytes = 3000};
        const unsigned blocks = occupancy(gpu, block).value().blocks;
        if (blocks == 0) continue;
        const BlockShare share = room.share_of(block).value();
        EXPECT_TRUE(room.holds(std::array{SmRoom::Residents{share, blocks}})) << threads << " " << count;
        EXPECT_FALSE(room.holds(std::array{SmRoom::Residents{share, blocks + 1}})) << threads << " " << count;
      }
    }
  }
}

// Blocks that agreed on 100 KB of shared memory find less room.
TEST(SmRoom, HasTheCarveoutThatWasAskedFor) {
  const SmRoom room = SmRoom::of(kHopper, 100 * 1024).value();
  const BlockShare share = room.share_of({.threads = 128, .registers = 32, .static_shared_bytes = 24 * 1024}).value();
  EXPECT_TRUE(room.holds(std::array{SmRoom::Residents{share, 4}}));
  EXPECT_FALSE(room.holds(std::array{SmRoom::Residents{share, 5}}));
  EXPECT_THAT(SmRoom::of(kHopper, 300 * 1024).error().to_string(), HasSubstr("more than the 233472 bytes"));
}

// An SM of compute capability 9.0 is divided at 0, 8, 16, 32, 64, 100, 132, 164, 196 and 228 KB.
TEST(CarveoutWith, IsTheLeastThatHoldsTheBytes) {
  EXPECT_EQ(carveout_with(kHopper, 0).value(), 0u);
  EXPECT_EQ(carveout_with(kHopper, 8 * 1024).value(), 8u * 1024);
  EXPECT_EQ(carveout_with(kHopper, 8 * 1024 + 1).value(), 16u * 1024);
  EXPECT_EQ(carveout_with(kHopper, 300 * 1024).value(), 228u * 1024);
  EXPECT_FALSE(carveout_with({0, 0}, 1));
}

TEST(PlanPair, GainsWhereKernelsNeedDifferentThings) {
  const auto ratios = feasible_ratios(kHopper, {.threads = 256, .registers = 32}, {.threads = 256, .registers = 32});
  const PairPlan plan = plan_pair(kPairSm, computing(), gathering(), *ratios).value();
  EXPECT_GT(plan.profit, 0.2);
  EXPECT_LE(plan.speedup, 2.0);
}

// Two kernels that compute all the time share what there is.
TEST(PlanPair, GainsNothingWhereBothNeedTheSame) {
  const PairPlan plan = predict_pair(kPairSm, computing(), computing(), {4, 4}).value();
  EXPECT_NEAR(plan.speedup, 1.0, 1e-9);
  EXPECT_NEAR(plan.ipc[0], plan.ipc[1], 1e-9);
  EXPECT_NEAR(plan.imbalance, 0.0, 1e-9);
  EXPECT_NEAR(plan.blocks_of_first_per_second, 1.0, 1e-9);
}

// The paper takes the ratio whose slices end together, though another saves more; we make those slices equally long.
TEST(PlanPair, BalancesOrGainsMost) {
  const auto ratios = feasible_ratios(kHopper, {.threads = 256, .registers = 32}, {.threads = 256, .registers = 32});
  PairKernel heavy = computing();
  heavy.instructions_per_block = 20.0;
  const PairPlan balanced = plan_pair(kPairSm, heavy, gathering(), *ratios, RatioRule::balanced).value();
  const PairPlan best = plan_pair(kPairSm, heavy, gathering(), *ratios).value();
  EXPECT_GE(best.profit, balanced.profit);
  EXPECT_LE(balanced.imbalance, best.imbalance);
  // Waves last equally long: n1 blocks of the first last as long as n1 / blocks_of_first_per_second of the second.
  const double cycles_of_first = heavy.instructions_per_block / best.ipc[0];
  const double cycles_of_second = 1.0 / best.ipc[1];
  EXPECT_NEAR(best.blocks_of_first_per_second * cycles_of_first, cycles_of_second, 1e-9 * cycles_of_second);
}

TEST(PlanPair, RefusesAPairWithoutRatios) {
  EXPECT_THAT(plan_pair(kPairSm, computing(), gathering(), {}).error().to_string(), HasSubstr("no ratio to choose"));
}

}  // namespace
}  // namespace wattune::model
