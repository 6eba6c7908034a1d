#include "schedule/interface/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A queue of works, one of each kernel unless a test says otherwise.
class PolicyTest : public ::testing::Test {
 protected:
  PolicyTest() { view_.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 8}; }

  Candidate& wait(const std::string& kernel, int priority = 0) {
    kernels_.push_back(tiny_kernel(kernel));
    kernels_.back().blocks = 32'000;  // the end of a block costs little
    view_.works.push_back({.work = view_.works.size() + 1,
                           .kernel = kernels_.size() - 1,
                           .traits = &kernels_.back(),
                           .priority = priority});
    return view_.works.back();
  }
  void run(std::size_t place, const Share& share) {
    view_.works[place].running = share;
    view_.works[place].running->work = view_.works[place].work;
  }
  void forecast(KernelId first, KernelId second, double of_first, double of_second) {
    table_.learn(first, second, {.ratio = {2, 6}, .rates = {of_first, of_second}});
  }
  Plan plan(std::string_view name, const PolicyOptions& options = {}) const {
    return find_policy(name, options).value()(view_, table_);
  }
  static std::vector<WorkId> works(const Plan& plan) {
    std::vector<WorkId> ids;
    for (const Share& share : plan.shares) ids.push_back(share.work);
    return ids;
  }

  std::deque<KernelTraits> kernels_;
  QueueView view_;
  PairTable table_{8};
};

TEST_F(PolicyTest, NoPolicyPlansAnythingForAnEmptyQueue) {
  for (const PolicyTraits& policy : policies()) EXPECT_THAT(plan(policy.name).shares, IsEmpty()) << policy.name;
}

// 5 of 9 SMs are no multiple of 4, so the second kernel gets the first SMs.
TEST_F(PolicyTest, PairedSplitsTheSmsWhereThatIsForecast) {
  wait("a");
  wait("b");
  view_.limits.split_grain = 4;
  table_.learn(0, 1, {.sms_of_first = 4, .rates = {0.7, 0.7}});
  Plan planned = plan("paired");
  ASSERT_THAT(planned.shares, SizeIs(2));
  EXPECT_EQ(planned.shares[0], (Share{.work = 1, .form = Form::persistent, .per_sm = 4, .sms = {0, 4}}));
  EXPECT_EQ(planned.shares[1], (Share{.work = 2, .form = Form::persistent, .per_sm = 4, .sms = {4, 4}}));
  view_.limits.sms = 9;
  table_ = PairTable(9);
  table_.learn(0, 1, {.sms_of_first = 5, .rates = {0.7, 0.7}});
  planned = plan("paired");
  EXPECT_EQ(planned.shares[0].sms, (SmRange{4, 5}));
  EXPECT_EQ(planned.shares[1].sms, (SmRange{0, 4}));
}

// At 1:3 the two gain 20 %, at 2:2 16 %. Each kernel has 10 ms to do alone.
class WaysOfPaired : public PolicyTest {
 protected:
  WaysOfPaired() {
    wait("a");
    wait("b");
    table_.learn(0, 1, best_of({}, {{.ratio = {1, 3}, .rates = {0.2, 1.0}}, {.ratio = {2, 2}, .rates = {0.58, 0.58}}}));
  }
  unsigned share_of_first() const { return plan("paired").shares.at(0).per_sm; }
};

// At 1:3 b ends after 10 ms, with 8 ms of a left. At 2:2 both end after 17.2 ms.
TEST_F(WaysOfPaired, OfTwoKernelsTheOneThatEndsBothSoonest) { EXPECT_EQ(share_of_first(), 2U); }

// With 50 ms of b, both end after 50 ms at 1:3, and after 57 at 2:2.
TEST_F(WaysOfPaired, WithMuchToDoOfOneTheOneThatItIsFastIn) {
  for (int i = 0; i < 4; ++i) {
    view_.works.push_back(view_.works[1]);
    view_.works.back().work = view_.works.size();
  }
  EXPECT_EQ(share_of_first(), 1U);
}

// The same if the policy does not see four of the works.
TEST_F(WaysOfPaired, CountWhatComesLater) {
  view_.later = {{.kernel = 1, .works = 4}};
  EXPECT_EQ(share_of_first(), 1U);
}

// The 8 ms that are left of a take 6.8 ms beside c if the two gain 18 %, and 7.8 ms if they gain 2 %.
TEST_F(WaysOfPaired, WhereWhatIsLeftHasAnotherPartnerTheFastest) {
  wait("c");
  table_.learn(0, 2, {.ratio = {4, 4}, .rates = {0.51, 0.51}});
  EXPECT_EQ(share_of_first(), 2U);
  table_.learn(0, 2, {.ratio = {4, 4}, .rates = {0.59, 0.59}});
  EXPECT_EQ(share_of_first(), 1U);
}

// 15.2 ms instead of 16.2 save more than 5 %; 15.5 do not.
TEST_F(WaysOfPaired, AnotherThanTheOneThatRunsMustBeMuchBetter) {
  table_.learn(0, 1,
               best_of({}, {{.ratio = {1, 3}, .rates = {0.38, 1.0}}, {.ratio = {2, 2}, .rates = {0.645, 0.645}}}));
  run(0, {.form = Form::persistent, .per_sm = 1});
  run(1, {.form = Form::persistent, .per_sm = 3});
  EXPECT_EQ(share_of_first(), 1U);
  table_.learn(0, 1, best_of({}, {{.ratio = {1, 3}, .rates = {0.38, 1.0}}, {.ratio = {2, 2}, .rates = {0.66, 0.66}}}));
  EXPECT_EQ(share_of_first(), 2U);
}

// With two blocks on each SM instead of four the kernel is 1.7 times as fast, however short it is.
TEST_F(PolicyTest, PairedRunsAKernelAloneWithAsManyResidentBlocksAsAreBest) {
  wait("a");
  kernels_[0].rate_at_residency = {0.9, 1.7, 1.2, 1.0};
  kernels_[0].alone = nanoseconds_from_ms(1);
  EXPECT_THAT(plan("paired").shares, ElementsAre(Share{.work = 1, .form = Form::persistent, .per_sm = 2}));
  kernels_[0].rate_at_residency = {0.9, 1.01, 1.0, 1.0};
  EXPECT_THAT(plan("paired").shares, ElementsAre(Share{.work = 1}));
}

// Beside b it is 1.2 times as fast as alone, and b half as fast: 1.7 together. Alone at its best it reaches most of
// that.
TEST_F(PolicyTest, APairMustGainOverEachAtItsBestAlone) {
  wait("a");
  wait("b");
  forecast(0, 1, 1.2, 0.5);
  EXPECT_THAT(plan("paired").shares, SizeIs(2));
  kernels_[0].rate_at_residency = {0.9, 2.5, 1.2, 1.0};
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

// Other works of its kind fill the SMs that its last blocks leave idle.
TEST_F(PolicyTest, APairMustGainOverEachAmongOthersOfItsKind) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.52, 0.52);
  EXPECT_THAT(plan("paired").shares, SizeIs(2));
  for (KernelTraits& kernel : kernels_) kernel.overlapped_speed = 1.04;
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

TEST_F(PolicyTest, WhatRunsAloneWithAllItsBlocksIsFollowedBeforeItEnds) {
  wait("a");
  EXPECT_TRUE(plan("paired").fills_sms);
  run(0, plan("paired").shares.front());
  EXPECT_TRUE(plan("paired").fills_sms);
  kernels_[0].rate_at_residency = {0.9, 1.7, 1.2, 1.0};
  run(0, {.form = Form::persistent, .per_sm = 2});
  EXPECT_FALSE(plan("paired").fills_sms);
  run(0, {.form = Form::whole});
  EXPECT_TRUE(plan("paired").fills_sms);
  EXPECT_FALSE(plan("fifo").fills_sms);
}

// A twin that is 3 % slower would lose 0.24 of 8 ms.
TEST_F(PolicyTest, WhatASlowTwinWouldRunAloneRunsWholeUnlessItIsLong) {
  wait("a");
  kernels_[0].twin_speed = 0.97;
  kernels_[0].alone = nanoseconds_from_ms(8);
  EXPECT_EQ(plan("paired").shares.at(0).form, Form::whole);
  kernels_[0].alone = nanoseconds_from_ms(12);
  EXPECT_EQ(plan("paired").shares.at(0).form, Form::persistent);
  kernels_[0].twin_speed = 0.995;
  kernels_[0].alone = nanoseconds_from_ms(8);
  EXPECT_EQ(plan("paired").shares.at(0).form, Form::persistent);
}

// b has ended beside a, which is almost as fast with three blocks as with four.
TEST_F(PolicyTest, WhatHasLostItsPartnerIsNotStartedAnewForLittle) {
  wait("a");
  kernels_[0].rate_at_residency = {0.4, 0.7, 0.995, 1.0};
  run(0, {.form = Form::persistent, .per_sm = 3});
  EXPECT_EQ(plan("paired").shares.at(0).per_sm, 3U);
  kernels_[0].rate_at_residency = {0.4, 0.7, 0.9, 1.0};
  EXPECT_EQ(plan("paired").shares.at(0).per_sm, 4U);
}

// A running pair is not restarted because the other work is now the older one.
TEST_F(PolicyTest, PairedLeavesASplitAsItIsInWhicheverOrderTheTwoCome) {
  wait("a");
  wait("b");
  view_.limits.split_grain = 2;
  table_.learn(0, 1, {.sms_of_first = 2, .rates = {0.7, 0.7}});
  const Plan planned = plan("paired");
  for (const std::size_t i : {0, 1}) run(i, planned.shares.at(i));
  std::swap(view_.works[0], view_.works[1]);
  const Plan turned = plan("paired");
  EXPECT_EQ(turned.shares.at(0), planned.shares.at(1));
  EXPECT_EQ(turned.shares.at(1), planned.shares.at(0));
}

// Each kernel takes 10 ms alone and 14 ms beside the other.
class WholeOnSmsOfTheirOwn : public PolicyTest {
 protected:
  WholeOnSmsOfTheirOwn() {
    wait("a");
    wait("b");
    table_.learn(0, 1,
                 best_of({}, {{.sms_of_first = 2, .whole = true, .rates = {0.7, 0.7}, .measured = 1},
                              {.sms_of_first = 4, .rates = {0.6, 0.6}}}));
  }
  Plan paired() const { return plan("paired", {.longest_whole = nanoseconds_from_ms(0.4)}); }  // 20 ms at most
};

TEST_F(WholeOnSmsOfTheirOwn, RunWhereTheyAreBetterThanTheirTwins) {
  const Plan planned = paired();
  ASSERT_THAT(planned.shares, SizeIs(2));
  EXPECT_EQ(planned.shares[0], (Share{.work = 1, .sms = {0, 2}}));
  EXPECT_EQ(planned.shares[1], (Share{.work = 2, .sms = {2, 6}}));
  for (const std::size_t i : {0, 1}) run(i, planned.shares[i]);
  EXPECT_EQ(paired().shares, planned.shares);
}

TEST_F(WholeOnSmsOfTheirOwn, RunForNoLongerThanArrivalsMayWait) {
  const Plan planned = plan("paired", {.longest_whole = nanoseconds_from_ms(0.2)});  // 10 ms at most
  EXPECT_EQ(planned.shares.at(0).form, Form::persistent);
  EXPECT_EQ(planned.shares.at(0).sms, (SmRange{0, 4}));
}

TEST_F(WholeOnSmsOfTheirOwn, RunWhileNobodyElseWaits) {
  wait("c");
  EXPECT_EQ(paired().shares.at(0).form, Form::persistent);
}

// 0.7 instead of 0.68 is less than the error of forecasts, and nothing stops whole kernels.
TEST_F(WholeOnSmsOfTheirOwn, TakeTheShareOfWhatRunsOnlyWhereTheyAreMuchBetter) {
  const PairForecast whole{.sms_of_first = 2, .whole = true, .rates = {0.7, 0.7}, .measured = 1};
  view_.later = {{.kernel = 0, .works = 20}, {.kernel = 1, .works = 20}};
  const auto form_beside = [&](double rate) {
    table_.learn(0, 1, best_of({}, {whole, {.ratio = {2, 6}, .rates = {rate, rate}, .measured = 1}}));
    return paired().shares.at(0).form;
  };
  EXPECT_EQ(form_beside(0.68), Form::whole);  // where neither runs yet
  run(0, {.form = Form::persistent, .per_sm = 2});
  EXPECT_EQ(form_beside(0.68), Form::persistent);
  EXPECT_EQ(form_beside(0.6), Form::whole);
}

// The SMs of b go only to a kernel that is forecast beside a on these SMs and gains.
TEST_F(WholeOnSmsOfTheirOwn, GetAnotherPartnerWhoSuitsTheSplit) {
  run(0, {.sms = {0, 2}});
  EXPECT_THAT(works(paired()), ElementsAre(1, 2));
  EXPECT_EQ(paired().shares[1].sms, (SmRange{2, 6}));
  run(0, {.sms = {0, 3}});
  EXPECT_THAT(works(paired()), ElementsAre(1));
  run(0, {.sms = {0, 2}});
  wait("c", 1);
  EXPECT_THAT(works(paired()), ElementsAre(1));
}

TEST_F(WholeOnSmsOfTheirOwn, GetNoPartnerThatALimitForbids) {
  run(0, {.sms = {0, 2}});
  EXPECT_THAT(works(plan("paired", {.objective = {.most_slowdown = 0.5}, .longest_whole = nanoseconds_from_ms(4)})),
              ElementsAre(1, 2));
  EXPECT_THAT(works(plan("paired", {.objective = {.most_slowdown = 0.2}, .longest_whole = nanoseconds_from_ms(4)})),
              ElementsAre(1));
}

// Sharing the SMs is far better for all works to come, and worth waiting for the end of a. For two works it is not.
TEST_F(WholeOnSmsOfTheirOwn, GetNoPartnerWhereAnotherWayIsBetterForWhatComes) {
  table_.learn(0, 1,
               best_of({}, {{.sms_of_first = 2, .whole = true, .rates = {0.7, 0.7}, .measured = 1},
                            {.ratio = {2, 6}, .rates = {0.9, 0.9}, .measured = 1}}));
  run(0, {.sms = {0, 2}});
  EXPECT_THAT(works(paired()), ElementsAre(1, 2));
  view_.later = {{.kernel = 0, .works = 20}, {.kernel = 1, .works = 20}};
  EXPECT_THAT(works(paired()), ElementsAre(1));
}

// With 100 works of each to come, it is better to wait for the end of a and not to share any more. The pair is 1.04
// times as fast, less than each kernel among others of its kind.
TEST_F(WholeOnSmsOfTheirOwn, GetNoPartnerWhereOneAfterTheOtherIsFasterForWhatComes) {
  table_.learn(0, 1, {.sms_of_first = 2, .whole = true, .rates = {0.52, 0.52}, .measured = 1});
  for (KernelTraits& kernel : kernels_) kernel.overlapped_speed = 1.06;
  run(0, {.sms = {0, 2}});
  EXPECT_THAT(works(paired()), ElementsAre(1, 2));
  view_.later = {{.kernel = 0, .works = 100}, {.kernel = 1, .works = 100}};
  EXPECT_THAT(works(paired()), ElementsAre(1));
}

// 6 % of the 0.5 ms in which both run are less than the 0.1 ms that a restart costs; 6 % of 10 ms are more.
TEST_F(PolicyTest, PairedSavesMoreThanStartingAnewCosts) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.53, 0.53);
  kernels_[1].alone = nanoseconds_from_ms(5);
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
  for (KernelTraits& kernel : kernels_) kernel.alone = *kernel.alone / 20.0;
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

// 4 % of the 10 ms in which both run are 0.4 ms. A restart loses 0.1 ms for the host, and half a block: 5 us or 0.5 ms.
TEST_F(PolicyTest, BlocksThatEndAreCountedAmongWhatStartingAnewCosts) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.52, 0.52);
  kernels_[1].alone = nanoseconds_from_ms(5);
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
  for (KernelTraits& kernel : kernels_) kernel.blocks = 320;
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

// 3 % of the 5 ms in which both run are 0.15 ms, of which 0.1 are lost: 1 % is left.
TEST_F(PolicyTest, APairMustGainWhatIsAskedOfItWithAllThatStartingAnewCosts) {
  wait("a");
  wait("b");
  kernels_[1].alone = nanoseconds_from_ms(2.5);
  forecast(0, 1, 0.53, 0.50);
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
  view_.later = {{.kernel = 1, .works = 3}};
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
}

// To run alone, it would be restarted as well.
TEST_F(PolicyTest, WhatRunsInItsShareKeepsItForAPartnerHoweverShort) {
  wait("a");
  wait("b");
  kernels_[1].alone = nanoseconds_from_ms(0.5);
  forecast(0, 1, 0.52, 0.52);
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
  run(0, {.form = Form::persistent, .per_sm = 2});
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
}

TEST_F(PolicyTest, PairedRunsKernelsTogetherWhoseTimesAreUnknown) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.8, 0.8);
  for (KernelTraits& kernel : kernels_) kernel.alone = {};
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
}

// The two gain nothing any more, but parting them would cost more than it saves in the rest.
TEST_F(PolicyTest, PairedPartsNobodyForLessThanStartingAnewCosts) {
  for (const std::size_t i : {0, 1}) {
    wait(i == 0 ? "a" : "b");
    run(i, {.form = Form::persistent, .per_sm = i == 0 ? 2U : 6U});
    view_.works[i].left = 0.05;
  }
  forecast(0, 1, 0.48, 0.48);
  EXPECT_THAT(works(plan("paired")), SizeIs(2));
  for (Candidate& work : view_.works) work.left = 1.0;
  EXPECT_THAT(works(plan("paired")), SizeIs(1));
}

TEST_F(PolicyTest, AnUnknownNameIsRefusedWithTheNearest) {
  const auto refused = find_policy("kernellet");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("no such policy: `kernellet`"));
  EXPECT_THAT(refused.error().to_string(), HasSubstr("did you mean `kernelet`?"));
}

TEST_F(PolicyTest, FifoRunsTheOldestAlone) {
  wait("a");
  wait("b");
  EXPECT_THAT(works(plan("fifo")), ElementsAre(1));
}

TEST_F(PolicyTest, StreamsRunAsManyAsThereAreStreams) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  EXPECT_THAT(works(plan("streams", {.most_streams = 2})), ElementsAre(1, 2));
}

TEST_F(PolicyTest, PrioritiesOrderStreams) {
  wait("a", 1);
  wait("b", 5);
  const Plan planned = plan("priority", {.most_streams = 2});
  EXPECT_THAT(works(planned), ElementsAre(2, 1));
  EXPECT_EQ(planned.shares[0].priority, 5);
}

// The oldest work takes the partner beside which it is fastest. The partner gets the other side of the split.
TEST_F(PolicyTest, SplitGivesEachSmsOfItsOwn) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  table_.learn(0, 1, {.sms_of_first = 4, .rates = {0.5, 0.5}});
  table_.learn(0, 2, {.sms_of_first = 6, .rates = {0.75, 0.9}});
  const Plan planned = plan("split");
  EXPECT_THAT(works(planned), ElementsAre(1, 3));
  EXPECT_EQ(planned.shares[0].sms, (SmRange{0, 6}));
  EXPECT_EQ(planned.shares[1].sms, (SmRange{6, 2}));
}

// Groups of 3 leave over the last 2 of 8 SMs. A range of 2 SMs therefore lies at the end of the GPU.
TEST_F(PolicyTest, SplitLeavesTheRestAtTheEndToWhoeverGetsIt) {
  view_.limits.split_grain = 3;
  for (const char* name : {"a", "b"}) wait(name);
  table_.learn(1, 0, {.sms_of_first = 6, .rates = {0.9, 0.75}});
  const Plan planned = plan("split");
  EXPECT_EQ(planned.shares[0].sms, (SmRange{6, 2}));
  EXPECT_EQ(planned.shares[1].sms, (SmRange{0, 6}));
}

// A whole kernel cannot move. The free SMs go only to a kernel for which the same split is the best.
TEST_F(PolicyTest, SplitGivesFreeSmsToThoseWhomTheySuit) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  table_.learn(0, 1, {.sms_of_first = 4, .rates = {0.5, 0.7}});
  run(0, {.sms = {0, 6}});
  EXPECT_THAT(works(plan("split")), ElementsAre(1));
  table_.learn(0, 2, {.sms_of_first = 6, .rates = {0.75, 0.9}});
  EXPECT_EQ(plan("split").shares.back().work, 3U);
  EXPECT_EQ(plan("split").shares.back().sms, (SmRange{6, 2}));
  run(0, {.sms = {2, 6}});
  EXPECT_EQ(plan("split").shares.back().sms, (SmRange{0, 2}));
}

TEST_F(PolicyTest, OrionPutsAKernelOfTheOtherKindBesideTheMostUrgent) {
  wait("compute").priority = 0;
  wait("more compute", 3);
  wait("memory");
  for (KernelTraits& kernel : kernels_) kernel.utilisation = model::Utilisation{0.8, 0.1};
  kernels_.back().utilisation = model::Utilisation{0.1, 0.8};
  EXPECT_THAT(works(plan("orion")), ElementsAre(2, 3));
}

// The urgent kernel computes. Nothing is known of the first of the others. The last one is as fast on half of the SMs,
// so it waits for memory. Nothing else is known of it.
TEST_F(PolicyTest, OrionTakesNoPartnerOfWhichNothingIsKnown) {
  wait("compute", 3);
  wait("unknown");
  kernels_.front().utilisation = model::Utilisation{0.8, 0.1};
  EXPECT_THAT(works(plan("orion")), ElementsAre(1));
  wait("memory");
  KernelTraits& memory = kernels_.back();
  memory.saturating_share = 0.5;
  memory.speed_on_sms = {{4, 1.0}, {8, 1.0}};
  memory.profile.blocks_alone = 4;
  memory.blocks = 300;
  EXPECT_THAT(works(plan("orion")), ElementsAre(1, 3));
}

// The utilisations of a pair must differ by at least 0.4 (pipelines) or 0.1 (memory). So a with c is pruned, though it
// would gain most.
TEST_F(PolicyTest, KerneletPrunesAndTakesThePairOfTheHighestProfit) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  kernels_[0].utilisation = model::Utilisation{0.9, 0.0};
  kernels_[1].utilisation = model::Utilisation{0.1, 0.3};
  kernels_[2].utilisation = model::Utilisation{0.8, 0.05};
  forecast(0, 1, 0.7, 0.6);
  forecast(0, 2, 0.9, 0.9);
  forecast(1, 2, 0.6, 0.6);
  const Plan planned = plan("kernelet");
  EXPECT_THAT(works(planned), ElementsAre(1, 2));
  EXPECT_EQ(planned.shares[0].form, Form::slices);
  EXPECT_EQ(planned.shares[0].slice_blocks, 2 * 8U);  // 2 blocks on each of 8 SMs
  EXPECT_EQ(planned.shares[1].slice_blocks, 6 * 8U);
}

// Nothing is known of c, which is no reason to prune its pairs.
TEST_F(PolicyTest, KerneletPrunesNoPairOfAnUnknownKernel) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  kernels_[0].utilisation = model::Utilisation{0.9, 0.0};
  kernels_[1].utilisation = model::Utilisation{0.1, 0.3};
  forecast(0, 1, 0.6, 0.6);
  forecast(0, 2, 0.9, 0.9);
  EXPECT_THAT(works(plan("kernelet")), ElementsAre(1, 3));
}

TEST_F(PolicyTest, KerneletKeepsSizesUntilOneOfTheTwoEnds) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  forecast(0, 2, 0.9, 0.9);
  run(0, {.form = Form::slices, .slice_blocks = 3});
  run(1, {.form = Form::slices, .slice_blocks = 5});
  EXPECT_THAT(works(plan("kernelet")), ElementsAre(1, 2));
}

TEST_F(PolicyTest, KerneletMakesSlicesNoSmallerThanTheyMayBe) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.9, 0.9);
  kernels_[0].least_slice = 20;  // two waves, as one has 16
  EXPECT_EQ(plan("kernelet").shares[0].slice_blocks, 32U);
}

TEST_F(PolicyTest, KerneletRunsTheOldestAloneWhereNoPairGains) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.4, 0.5);
  EXPECT_THAT(works(plan("kernelet")), ElementsAre(1));
}

TEST_F(PolicyTest, RandomSchedulesFollowTheSeed) {
  for (const char* name : {"a", "b", "c", "d", "e"}) wait(name);
  const auto drawn = [this](std::uint64_t seed) { return plan("random", {.seed = seed}).shares; };
  EXPECT_THAT(drawn(1), SizeIs(2));
  EXPECT_EQ(drawn(1), drawn(1));
  const auto first = drawn(1);
  EXPECT_TRUE(std::ranges::any_of(std::vector<std::uint64_t>{2, 3, 4, 5},
                                  [&](std::uint64_t seed) { return drawn(seed) != first; }));
}

TEST_F(PolicyTest, PairedSharesEverySmInTheRatioOfTheForecast) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  forecast(0, 1, 0.6, 0.6);
  forecast(1, 2, 0.9, 0.8);
  const Plan planned = plan("paired");
  EXPECT_THAT(planned.shares, ElementsAre(Share{.work = 2, .form = Form::persistent, .per_sm = 2},
                                          Share{.work = 3, .form = Form::persistent, .per_sm = 6}));
  EXPECT_THAT(planned.reason, HasSubstr("b with c, 2:6 blocks on each SM, 1.70 times as fast"));
}

TEST_F(PolicyTest, PairedDeclinesWhatGainsTooLittle) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.5, 0.51);
  const Plan planned = plan("paired");
  EXPECT_THAT(works(planned), ElementsAre(1));
  EXPECT_THAT(planned.reason, HasSubstr("no pair is expected to gain 2 %"));
}

TEST_F(PolicyTest, PairedRunsAloneWhatNothingIsKnownOf) {
  wait("a");
  wait("b");
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

// 10 ms are long. 1 ms is short: such a kernel is not worth a twin that gives way.
TEST_F(PolicyTest, PairedRunsShortKernelsWholeWhereTheyAreAlone) {
  wait("a");
  EXPECT_EQ(plan("paired").shares.front().form, Form::persistent);
  kernels_[0].alone = nanoseconds_from_ms(1);
  EXPECT_EQ(plan("paired").shares.front().form, Form::whole);
}

// A new pair stops both kernels, which costs 5 % each: 1.70 / 1.10 < 1.60 < 1.80 / 1.10.
TEST_F(PolicyTest, PairedKeepsThePairThatRunsUnlessAnotherIsBetterByAMargin) {
  for (const char* name : {"a", "b", "c", "d"}) wait(name);
  run(0, {.form = Form::persistent, .per_sm = 2});
  run(1, {.form = Form::persistent, .per_sm = 6});
  forecast(0, 1, 0.8, 0.8);
  forecast(2, 3, 0.85, 0.85);
  EXPECT_THAT(works(plan("paired")), ElementsAre(1, 2));
  forecast(2, 3, 0.9, 0.9);
  EXPECT_THAT(works(plan("paired")), ElementsAre(3, 4));
}

TEST_F(PolicyTest, PairedRunsTheMostUrgentWithItsBestPartner) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  view_.works[2].priority = 1;
  forecast(0, 1, 0.9, 0.9);
  forecast(0, 2, 0.6, 0.6);
  forecast(1, 2, 0.7, 0.6);
  EXPECT_THAT(works(plan("paired")), ElementsAre(2, 3));
}

// c has waited for 31 ms, more than three times its 10 ms alone.
TEST_F(PolicyTest, PairedPrefersWhatHasWaitedTooLong) {
  for (const char* name : {"a", "b", "c"}) wait(name);
  view_.now = nanoseconds_from_ms(31);
  view_.works[0].submitted = view_.works[1].submitted = view_.now;
  forecast(0, 1, 0.9, 0.9);
  forecast(0, 2, 0.6, 0.6);
  EXPECT_THAT(works(plan("paired")), ElementsAre(1, 2));
  EXPECT_THAT(works(plan("paired", {.patience = 3.0})), ElementsAre(1, 3));
}

TEST_F(PolicyTest, PairedTakesSlicesWhereAKernelHasNoTwin) {
  wait("a");
  wait("b");
  forecast(0, 1, 0.9, 0.9);
  kernels_[1].persistent = false;
  const Plan planned = plan("paired");
  EXPECT_EQ(planned.shares[0].form, Form::persistent);
  EXPECT_EQ(planned.shares[1].form, Form::slices);
  kernels_[1].sliceable = false;
  EXPECT_THAT(works(plan("paired")), ElementsAre(1));
}

}  // namespace
}  // namespace wattune::schedule
