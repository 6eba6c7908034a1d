#include "schedule/interface/timing_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/interface/counted_use.h"
#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::schedule {
namespace {

// Returns a kernel on a GPU of 132 SMs, with eight resident blocks on each and 20 rounds of blocks. It is as fast on
// this share of the SMs as on all.
KernelTraits measured(double saturating_share, std::vector<double> rates) {
  KernelTraits kernel;
  kernel.blocks = std::uint64_t{20} * 132 * 8;
  kernel.profile.blocks_alone = 8;
  kernel.saturating_share = saturating_share;
  kernel.speed_on_sms = {{40, 0.5}, {132, 1.0}};
  kernel.rate_at_residency = std::move(rates);
  return kernel;
}

const std::vector<double> kFlatCurve = {0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0};
const std::vector<double> kSteepCurve = {0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

KernelTraits computing() { return measured(1.0, kFlatCurve); }
KernelTraits moving() { return measured(0.3, {}); }

void use(KernelTraits& kernel, std::size_t resource, double share) {
  kernel.use.assign(simulate::kResources, 0.1);
  kernel.use[resource] = share;
}
constexpr std::size_t kIssue = 0;
constexpr std::size_t kDram = simulate::kResources - 1;

TEST(TimingClasses, FollowFromFewSmsAndFewBlocks) {
  EXPECT_EQ(timing_class(computing()), KernelClass::sm_full);
  EXPECT_EQ(timing_class(moving()), KernelClass::shared_full);
  EXPECT_EQ(timing_class(measured(0.79, kSteepCurve)), KernelClass::shared_full);
  EXPECT_EQ(timing_class(measured(0.9, kFlatCurve)), KernelClass::unknown);
  EXPECT_EQ(timing_class(measured(1.0, kSteepCurve)), KernelClass::unknown);  // it waits; nothing is full
  EXPECT_EQ(timing_class(measured(1.0, {})), KernelClass::unknown);           // it has no twin
  EXPECT_EQ(timing_class(measured(1.0, {1.0})), KernelClass::unknown);
  KernelTraits kernel = computing();
  kernel.speed_on_sms.clear();
  EXPECT_EQ(timing_class(kernel), KernelClass::unknown);
}

// 300 blocks fit into the 40 SMs on which the kernel is as fast (320 places), and at once into three quarters of all
// places. Such times tell nothing. 321 blocks take two rounds there.
TEST(TimingClasses, AreUnknownOfGridsThatTakeNoMoreRounds) {
  KernelTraits moving_few = measured(40.0 / 132.0, {});
  moving_few.blocks = 300;
  EXPECT_EQ(timing_class(moving_few), KernelClass::unknown);
  moving_few.blocks = 321;
  EXPECT_EQ(timing_class(moving_few), KernelClass::shared_full);
  KernelTraits computing_few = computing();
  computing_few.blocks = 300;
  EXPECT_EQ(timing_class(computing_few), KernelClass::unknown);
  moving_few.profile.blocks_alone = 0;
  EXPECT_EQ(timing_class(moving_few), KernelClass::unknown);
}

void read_by_counters(KernelTraits& kernel, std::size_t resource, double share) {
  kernel.use_by_counters.assign(simulate::kResources, 0.1);
  kernel.use_by_counters[resource] = share;
}

// Times tell nothing of these kernels. Counts may be too high where caches answer, counters are not.
TEST(KernelClasses, FollowFromUseWhereTimesTellNothing) {
  KernelTraits kernel = measured(1.0, kSteepCurve);
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
  use(kernel, kIssue, 0.7);
  EXPECT_EQ(kernel_class(kernel), KernelClass::sm_full);
  use(kernel, kIssue, 0.6);
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
  use(kernel, kDram, 0.9);
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
  read_by_counters(kernel, kDram, 0.9);
  EXPECT_EQ(kernel_class(kernel), KernelClass::shared_full);
  EXPECT_EQ(timing_class(kernel), KernelClass::unknown);
  kernel.use_by_counters[kIssue] = 0.7;  // both kinds are full
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
}

// Counters are trusted more than counts.
TEST(KernelClasses, FollowCountersBeforeCounts) {
  KernelTraits kernel = measured(1.0, kSteepCurve);
  use(kernel, kDram, 0.9);
  read_by_counters(kernel, kIssue, 0.8);
  EXPECT_EQ(kernel_class(kernel), KernelClass::sm_full);
  kernel.use_by_counters[kDram] = std::nullopt;  // its count stands, and says that both kinds may be full
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
  kernel.use.clear();
  EXPECT_EQ(kernel_class(kernel), KernelClass::unknown);
}

TEST(KernelClasses, OfTimesStandAgainstUse) {
  KernelTraits kernel = moving();
  read_by_counters(kernel, kIssue, 0.9);
  EXPECT_EQ(kernel_class(kernel), KernelClass::shared_full);
}

TEST(KernelClasses, TellWhatIsLikelyUsed) {
  EXPECT_EQ(likely_utilisation(computing()).pipeline, 1.0);
  EXPECT_EQ(likely_utilisation(moving()).memory, 1.0);
  EXPECT_EQ(likely_utilisation(moving()).pipeline, 0.0);
  KernelTraits known = moving();
  known.utilisation = model::Utilisation{0.3, 0.2};
  EXPECT_EQ(likely_utilisation(known).memory, 0.2);
}

TEST(TimingClasses, OneOfEachIsComplementary) {
  EXPECT_EQ(are_complementary(computing(), moving()), true);
  EXPECT_EQ(are_complementary(moving(), computing()), true);
  EXPECT_EQ(are_complementary(moving(), moving()), false);
  EXPECT_EQ(are_complementary(computing(), computing()), false);
  EXPECT_FALSE(are_complementary(computing(), KernelTraits()).has_value());
}

// A count of 0.7 in the kind of resource that is full may be right. One of 0.6 and less, or of the other kind, is not.
TEST(TimingClasses, RefuteCountsThatFillNothing) {
  KernelTraits shared = moving();
  EXPECT_FALSE(refutes_counts(shared));  // nothing was counted
  use(shared, kDram, 0.7);
  EXPECT_FALSE(refutes_counts(shared));
  use(shared, kDram, 0.6);
  EXPECT_TRUE(refutes_counts(shared));
  use(shared, kIssue, 0.9);
  EXPECT_TRUE(refutes_counts(shared));
  KernelTraits own = computing();
  use(own, kIssue, 0.9);
  EXPECT_FALSE(refutes_counts(own));
  use(own, kDram, 0.9);
  EXPECT_TRUE(refutes_counts(own));
  KernelTraits waiting = measured(1.0, kSteepCurve);
  use(waiting, kDram, 0.2);
  EXPECT_FALSE(refutes_counts(waiting));
}

TEST(TimingClasses, MakeThePackingBoundUnknownWhereTheyRefuteCounts) {
  KernelTraits first = computing();
  KernelTraits second = moving();
  use(first, kIssue, 0.9);
  use(second, kDram, 0.8);
  EXPECT_TRUE(packing_bound(first, second));
  use(second, kDram, 0.3);
  EXPECT_FALSE(packing_bound(first, second));
  EXPECT_FALSE(packing_bound(second, first));
}

// The one that fills what all share goes first, and of one class the one that issues least.
TEST(TimingClasses, OrderLaunches) {
  KernelTraits busy_moving = moving();
  busy_moving.utilisation = model::Utilisation{.pipeline = 0.9};
  KernelTraits idle_moving = moving();
  KernelTraits unknown;
  unknown.utilisation = model::Utilisation{.pipeline = 0.1};
  const std::vector<double> ranks = {launch_rank(idle_moving), launch_rank(busy_moving), launch_rank(unknown),
                                     launch_rank(computing())};
  EXPECT_TRUE(std::ranges::is_sorted(ranks));
  EXPECT_EQ(std::ranges::adjacent_find(ranks), ranks.end());
}

}  // namespace
}  // namespace wattune::schedule
