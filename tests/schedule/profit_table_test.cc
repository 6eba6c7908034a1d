#include "schedule/interface/profit_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "schedule/interface/policy.h"
#include "schedule/tiny_machine.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Objective kEnergy{.goal = Goal::energy};

// Returns the forecast of a pair with this gain in work per joule. Per second both together do what takes a second
// alone, at 100 W together and `gain` times as much one after the other.
PairForecast gaining(double gain, model::BlockRatio ratio) {
  const double blocks = ratio.first + ratio.second;
  return {.ratio = ratio,
          .rates = {ratio.first / blocks, ratio.second / blocks},
          .watts = PairWatts{
              .idle = Watts(10), .added = {Watts(90), Watts(90)}, .alone = {Watts(100 * gain), Watts(100 * gain)}}};
}

// The example of section 5 of the paper, table 5: four kernels of 100 blocks that all take equally long.
class PapersExample : public ::testing::Test {
 protected:
  PapersExample() {
    table_.learn(1, 2, gaining(1.30, {5, 3}));
    table_.learn(2, 3, gaining(1.25, {4, 5}));
    table_.learn(3, 4, gaining(1.20, {3, 5}));
    table_.learn(1, 4, gaining(1.15, {2, 6}));
    table_.learn(1, 3, gaining(0.90, {4, 4}));
    for (const KernelId kernel : {1, 2, 3, 4}) {
      profits_.add(kernel, table_);
      pool_.push_back({.kernel = kernel, .blocks = 100, .blocks_per_second = 8});
    }
  }

  PairTable table_;
  ProfitTable profits_{kEnergy};
  std::vector<PoolKernel> pool_;
};

std::vector<std::pair<KernelId, KernelId>> pairs_of(const ProfitTable& profits) {
  std::vector<std::pair<KernelId, KernelId>> pairs;
  for (const ProfitRow& row : profits.rows()) pairs.emplace_back(row.first, row.second);
  return pairs;
}

TEST_F(PapersExample, PairsThatGainAreSortedAndOthersLeftOut) {
  using Pair = std::pair<KernelId, KernelId>;
  EXPECT_THAT(pairs_of(profits_), ElementsAre(Pair(1, 2), Pair(2, 3), Pair(3, 4), Pair(1, 4)));
  EXPECT_NEAR(profits_.best()->profit, 0.30, 1e-12);
}

// Tables 6 and 7 of the paper.
TEST_F(PapersExample, AKernelLeavesWithItsRows) {
  using Pair = std::pair<KernelId, KernelId>;
  profits_.remove(1);
  EXPECT_THAT(pairs_of(profits_), ElementsAre(Pair(2, 3), Pair(3, 4)));
  profits_.remove(2);
  EXPECT_THAT(pairs_of(profits_), ElementsAre(Pair(3, 4)));
  profits_.remove(3);
  EXPECT_EQ(profits_.best(), nullptr);
}

// After each step there are left 40 blocks of K2, 50 of K3 and 17 of K4. The printed 17 is 100 - 50 * 5 / 3 = 16.7 in
// whole blocks.
TEST_F(PapersExample, LeavesFortyFiftyAndSeventeenBlocks) {
  const PoolPlan plan = plan_pool(pool_, profits_);
  ASSERT_THAT(plan.phases, SizeIs(3));
  EXPECT_NEAR(100 - plan.phases[0].blocks[1], 40.0, 1e-9);
  EXPECT_NEAR(100 - plan.phases[1].blocks[1], 50.0, 1e-9);
  ASSERT_THAT(plan.alone, SizeIs(1));
  EXPECT_EQ(plan.alone.front().kernel, 4U);
  EXPECT_EQ(std::ceil(plan.alone.front().blocks), 17.0);
}

TEST_F(PapersExample, APoolWithoutPairsThatGainRunsAlone) {
  const PoolPlan plan = plan_pool({pool_[0], pool_[2]}, [this] {
    ProfitTable profits(kEnergy);
    profits.add(1, table_);
    profits.add(3, table_);
    return profits;
  }());
  EXPECT_THAT(plan.phases, IsEmpty());
  EXPECT_THAT(plan.alone, SizeIs(2));
}

// After kernels have come and gone, the table equals one that is built anew.
TEST(ProfitTable, IsAfterEachChangeAsIfMadeAnew) {
  PairTable forecasts;
  Random random(3);
  for (KernelId i = 0; i < 12; ++i)
    for (KernelId j = i + 1; j < 12; ++j) forecasts.learn(i, j, gaining(0.8 + 0.5 * random.uniform(), {4, 4}));
  ProfitTable kept(kEnergy);
  for (int step = 0; step < 200; ++step) {
    const KernelId kernel = random.below(12);
    const bool is_there = std::ranges::count(kept.kernels(), kernel) > 0;
    is_there ? kept.remove(kernel) : kept.add(kernel, forecasts);
    ProfitTable anew(kEnergy);
    for (const KernelId each : kept.kernels()) anew.add(each, forecasts);
    ASSERT_EQ(pairs_of(kept), pairs_of(anew)) << step;
  }
}

TEST(ProfitTable, APairWhoseForecastComesLaterGetsItsRow) {
  PairTable forecasts;
  ProfitTable profits(kEnergy);
  profits.add(1, forecasts);
  profits.add(2, forecasts);
  EXPECT_EQ(profits.best(), nullptr);
  forecasts.learn(1, 2, gaining(1.1, {4, 4}));
  profits.complete(forecasts);
  EXPECT_NE(profits.best(), nullptr);
}

class Greedy : public ::testing::Test {
 protected:
  Greedy() {
    for (const char* const name : {"a", "b", "c"}) kernels_.push_back(tiny_kernel(name));
    table_.learn(0, 1, gaining(1.1, {2, 6}));
    table_.learn(0, 2, gaining(1.3, {4, 4}));
  }
  void wait(KernelId kernel) {
    view_.works.push_back({.work = 10 + kernel, .kernel = kernel, .traits = &kernels_[kernel]});
  }
  Plan plan() { return policy_(view_, table_); }
  std::vector<WorkId> planned() {
    std::vector<WorkId> works;
    for (const Share& share : plan().shares) works.push_back(share.work);
    return works;
  }

  std::deque<KernelTraits> kernels_;
  QueueView view_{.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 8}, .now = {}, .works = {}};
  PairTable table_{8};
  Policy policy_ = find_policy("greedy", {.objective = kEnergy}).value();
};

TEST_F(Greedy, RunsThePairOfTheHighestProfitInSlicesOfItsRatio) {
  for (const KernelId kernel : {0, 1, 2}) wait(kernel);
  const Plan planned = plan();
  ASSERT_THAT(planned.shares, SizeIs(2));
  EXPECT_EQ(planned.shares[0].work, 10U);
  EXPECT_EQ(planned.shares[1].work, 12U);
  EXPECT_EQ(planned.shares[0].slice_blocks, 4 * 8U);
}

TEST_F(Greedy, AnArrivalThatPairsWellInterruptsWhoRunsAlone) {
  wait(0);
  EXPECT_THAT(planned(), ElementsAre(10));
  view_.works[0].running = plan().shares.front();
  wait(2);
  EXPECT_THAT(planned(), ElementsAre(10, 12));
}

TEST_F(Greedy, AnArrivalDoesNotInterruptAPair) {
  wait(0);
  wait(1);
  const Plan pair = plan();
  for (std::size_t i = 0; i < 2; ++i) view_.works[i].running = pair.shares[i];
  wait(2);
  EXPECT_THAT(planned(), ElementsAre(10, 11));
}

TEST_F(Greedy, KernelsThatHaveLeftAreForgotten) {
  for (const KernelId kernel : {0, 1, 2}) wait(kernel);
  plan();
  view_.works.erase(view_.works.begin() + 2);
  EXPECT_THAT(planned(), ElementsAre(10, 11));
}

TEST_F(Greedy, WithoutAPairThatGainsTheOldestRunsAlone) {
  wait(1);
  wait(2);
  table_.learn(1, 2, gaining(0.99, {4, 4}));
  EXPECT_THAT(planned(), ElementsAre(11));
}

}  // namespace
}  // namespace wattune::schedule
