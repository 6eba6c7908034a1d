#include "schedule/interface/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "schedule/scheduler_fixture.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(SchedulerTest, RunsWorksOneAfterTheOtherByFifo) {
  start("fifo");
  submit({.kernel = a_});
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NEAR(to_ms(all.at(1)->ended), 10.0, 1e-9);
  EXPECT_NEAR(to_ms(all.at(2)->started), 10.0, 1e-9);
  EXPECT_NEAR(to_ms(all.at(2)->response()), 20.0, 1e-9);
  EXPECT_EQ(all.at(1)->launches, 1U);
}

// Both run at 0.8 of their speed and end after 12.5 ms instead of 20.
TEST_F(SchedulerTest, APairRunsTogether) {
  start("paired");
  submit({.kernel = a_});
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  EXPECT_NEAR(to_ms(all.at(2)->ended), 12.5, 1e-9);
  EXPECT_NEAR(to_ms(all.at(1)->together), 12.5, 1e-9);
  EXPECT_EQ(all.at(1)->partners, 1U);
  EXPECT_THAT(machine_.launches, SizeIs(2));
  EXPECT_EQ(machine_.launches[0].per_sm, 2U);
}

// a runs alone on all 4 resident blocks for 1.5 ms; then it shares until it ends, and b goes on alone. The other 85
// blocks of a take 10.6 ms beside b. b then has 15 of its 100 blocks left, which take 1.5 ms.
TEST_F(SchedulerTest, AnArrivalMakesAPairOfWhatRunsAlone) {
  start("paired");
  submit({.kernel = a_});
  scheduler_->dispatch();
  EXPECT_EQ(machine_.launches.back().per_sm, 4U);
  scheduler_->note(machine_.wait(nanoseconds_from_ms(1.5)));
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  EXPECT_NEAR(to_ms(all.at(1)->ended), 12.1, 0.3);
  EXPECT_NEAR(to_ms(all.at(2)->ended), 13.6, 0.3);
  EXPECT_NEAR(to_ms(all.at(2)->solo), 1.5, 0.3);
  EXPECT_TRUE(ran_each_block_once(trace_, 1, 100));
  EXPECT_TRUE(ran_each_block_once(trace_, 2, 100));
  EXPECT_EQ(machine_.launches.back().form, Form::whole);  // alone again, with little left
}

// A launch among blocks that still leave would get more of its own blocks onto the SMs that are free first.
TEST_F(SchedulerTest, NothingBeginsWhileBlocksLeave) {
  start("paired");
  submit({.kernel = a_});
  scheduler_->dispatch();
  scheduler_->note(machine_.wait(nanoseconds_from_ms(2.55)));
  submit({.kernel = b_});
  scheduler_->dispatch();
  EXPECT_THAT(machine_.launches, SizeIs(1));
  scheduler_->note(machine_.wait(kForever));
  EXPECT_NEAR(to_ms(machine_.now()), 2.6, 1e-9);
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(3));
  EXPECT_EQ(machine_.launches[1].first_block, 26U);
  run();
}

// b runs beside c, which suits it as well as a, as soon as the running block of a has ended. At 0.8 of its speed a
// block ends every 0.125 ms, so the one during which a is cancelled ends at 2.625 ms.
TEST_F(SchedulerTest, NothingBeginsWhileBlocksOfACancelledWorkLeave) {
  const KernelId c = machine_.add(tiny_kernel("c"));
  machine_.set_rates(c, b_, 0.8, 0.8);
  start("paired").learn(b_, c, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
  const WorkId first = submit({.kernel = a_});
  submit({.kernel = b_});
  submit({.kernel = c});
  scheduler_->dispatch();
  scheduler_->note(machine_.wait(nanoseconds_from_ms(2.55)));
  scheduler_->cancel(first);
  scheduler_->dispatch();
  EXPECT_THAT(machine_.launches, SizeIs(2));
  scheduler_->note(machine_.wait(scheduler_->deadline()));
  EXPECT_NEAR(to_ms(machine_.now()), 2.625, 1e-9);
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(3));
  EXPECT_EQ(machine_.launches.back().kernel, c);
  run();
}

// a is stopped after 30 ms but does not leave. b has ended long before; its successor begins 5 ms later.
TEST_F(SchedulerTest, WhatDoesNotLeaveIsNotWaitedForLong) {
  const KernelId c = machine_.add(tiny_kernel("c"));
  start("paired", {.grace = nanoseconds_from_ms(20), .drain = nanoseconds_from_ms(5)}).learn(b_, c, {});
  machine_.never_ends[a_] = true;
  submit({.kernel = a_, .limit = nanoseconds_from_ms(30)});
  submit({.kernel = b_});
  while (machine_.now() < nanoseconds_from_ms(30)) step(*scheduler_, machine_);
  submit({.kernel = c});
  scheduler_->dispatch();
  EXPECT_NE(machine_.launches.back().kernel, c);
  scheduler_->note(machine_.wait(scheduler_->deadline()));
  EXPECT_NEAR(to_ms(machine_.now()), 35.0, 1e-6);
  scheduler_->dispatch();
  EXPECT_EQ(machine_.launches.back().kernel, c);
}

// A policy looks at 64 works, and knows how many more there are of their kernels.
TEST_F(SchedulerTest, PoliciesKnowHowManyWorksComeLater) {
  std::vector<WorkCount> later;
  const Policy look = [&](const QueueView& view, const PairTable&) {
    later = view.later;
    return Plan();
  };
  scheduler_ = std::make_unique<Scheduler>(machine_, look, SchedulerOptions{}, &trace_);
  for (int i = 0; i < 60; ++i) submit({.kernel = a_});
  const WorkId first = submit({.kernel = b_});
  for (int i = 0; i < 10; ++i) submit({.kernel = b_, .after = {first}});
  scheduler_->dispatch();
  EXPECT_THAT(later, IsEmpty());
  for (int i = 0; i < 5; ++i) submit({.kernel = b_});
  scheduler_->dispatch();
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_EQ(later[0].kernel, b_);
  EXPECT_EQ(later[0].works, 2U);
  scheduler_->cancel(first);
  scheduler_->dispatch();
  EXPECT_EQ(later[0].works, 1U);
}

// At 1:3 a has 0.4 of its speed, which differs from the best way. It has all of it when b has ended, and half of it
// beside c.
TEST_F(SchedulerTest, WhatIsLeftFollowsTheShapeInWhichKernelsRun) {
  double left = 0.0;
  const Policy one_to_three = [&](const QueueView& view, const PairTable&) {
    left = view.works.front().left;
    Plan plan;
    for (const Candidate& work : view.works)
      plan.shares.push_back({.work = work.work, .form = Form::persistent, .per_sm = work.kernel == a_ ? 1U : 3U});
    return plan;
  };
  scheduler_ = std::make_unique<Scheduler>(machine_, one_to_three, SchedulerOptions{}, &trace_);
  scheduler_->learn(a_, b_,
                    best_of({}, {{.ratio = {2, 2}, .rates = {0.9, 0.9}}, {.ratio = {1, 3}, .rates = {0.4, 0.6}}}));
  machine_.set_rates(a_, b_, 0.4, 0.6);
  submit({.kernel = a_});
  const WorkId second = submit({.kernel = b_});
  scheduler_->dispatch();
  EXPECT_DOUBLE_EQ(left, 1.0);
  scheduler_->note(machine_.wait(nanoseconds_from_ms(5)));
  scheduler_->dispatch();
  EXPECT_NEAR(left, 0.8, 1e-9);
  scheduler_->cancel(second);
  scheduler_->note(machine_.wait(kForever));
  scheduler_->dispatch();
  const Nanoseconds alone_from = machine_.now();
  const double left_then = left;
  scheduler_->note(machine_.wait(alone_from + nanoseconds_from_ms(1)));
  scheduler_->dispatch();
  EXPECT_NEAR(left, left_then - 0.1, 1e-9);
  const KernelId c = machine_.add(tiny_kernel("c"));
  machine_.set_rates(a_, c, 0.5, 0.5);
  scheduler_->learn(a_, c, {.ratio = {1, 3}, .rates = {0.5, 0.5}});
  submit({.kernel = c});
  scheduler_->dispatch();
  const double left_before = left;
  scheduler_->note(machine_.wait(alone_from + nanoseconds_from_ms(2)));
  scheduler_->dispatch();
  EXPECT_NEAR(left, left_before - 0.05, 1e-9);
}

// An SM prefers its older warps.
TEST_F(SchedulerTest, WhatIssuesLeastBeginsFirst) {
  KernelTraits busy = tiny_kernel("busy");
  busy.utilisation = model::Utilisation{.pipeline = 0.9};
  const KernelId c = machine_.add(busy);
  start("paired").learn(c, b_, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
  submit({.kernel = c});
  submit({.kernel = b_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(2));
  EXPECT_EQ(machine_.launches[0].kernel, b_);
  EXPECT_EQ(machine_.launches[1].kernel, c);
  run();
}

// 100 W are divided into equal parts: in 12.5 ms of both, 0.625 J each.
TEST_F(SchedulerTest, ThoseThatRunTogetherShareTheEnergy) {
  start("paired");
  submit({.kernel = a_});
  submit({.kernel = b_});
  run();
  EXPECT_NEAR(results(*scheduler_).at(1)->energy->value(), 0.625, 1e-9);
}

// Beside each other they have 0.3 of their speed instead of 0.8, which the first run of each tells. So the third of
// each runs alone, except for the block that one began behind its second.
TEST_F(SchedulerTest, APairThatDoesNotGainIsGivenUp) {
  machine_.set_rates(a_, b_, 0.3, 0.3);
  start("paired");
  for (int i = 0; i < 6; ++i) submit({.kernel = i % 2 == 0 ? a_ : b_});
  run();
  EXPECT_NEAR(scheduler_->table().find(a_, b_)->speedup(), 0.6, 0.01);
  EXPECT_LE(to_ms(results(*scheduler_).at(6)->together), 0.1 / 0.3 + 1e-6);
}

// b comes after more works of a than a decision considers.
TEST_F(SchedulerTest, PartnersAreSeenHoweverManyWorksOfOneKernelWaitBefore) {
  start("paired", {.window = 3});
  for (int i = 0; i < 5; ++i) submit({.kernel = a_});
  const WorkId b = submit({.kernel = b_});
  scheduler_->dispatch();
  EXPECT_EQ(machine_.launches[0].per_sm, 2U);
  EXPECT_EQ(machine_.launches[1].kernel, b_);
  run();
  EXPECT_NEAR(to_ms(results(*scheduler_).at(b)->ended), 12.5, 0.1);
}

// The first work that ran beside the other from its first block to its last replaces the forecast.
TEST_F(SchedulerTest, TheRateOfAWholeWorkReplacesTheForecast) {
  const KernelId c = machine_.add(tiny_kernel("c", 22));
  const KernelId d = machine_.add(tiny_kernel("d", 22));
  machine_.set_rates(c, d, 2.0 / 3.0, 2.0 / 3.0);
  start("paired").learn(c, d, {.ratio = {2, 2}, .rates = {0.6, 0.6}});
  submit({.kernel = c});
  submit({.kernel = d});
  run();
  EXPECT_NEAR(scheduler_->table().find(c, d)->rates[0], 2.0 / 3.0, 1e-9);
  EXPECT_EQ(scheduler_->table().find(c, d)->measured, 1U);
}

TEST(SchedulerOnSplits, RatesAreOfTheSmsOfTheLaunch) {
  TinyMachine machine(4);
  machine.add(tiny_kernel("a", 88));
  machine.add(tiny_kernel("b", 88));
  machine.set_split_rates(0, 1, 0.8, 0.8);
  Scheduler scheduler(machine, find_policy("paired").value(), {.correction_weight = 1.0});
  PairTable table(4, 1.0);
  table.learn(0, 1, {.sms_of_first = 2, .rates = {0.7, 0.7}});
  scheduler.learn(std::move(table));
  ASSERT_TRUE(scheduler.submit(std::array{Work{.kernel = 0}, Work{.kernel = 1}}));
  while (!scheduler.is_idle()) {
    scheduler.dispatch();
    scheduler.note(machine.wait(scheduler.deadline()));
  }
  EXPECT_EQ(machine.launches.front().sms, (SmRange{0, 2}));
  EXPECT_NEAR(scheduler.table().find(0, 1)->rates[0], 0.8, 1e-9);
}

TEST_F(SchedulerTest, AsksForPairsOfKernelsThatItHasNotSeen) {
  const KernelId c = machine_.add(tiny_kernel("c"));
  start("paired");
  submit({.kernel = a_});
  submit({.kernel = b_});
  EXPECT_THAT(scheduler_->take_unknown_pairs(), IsEmpty());
  submit({.kernel = c});
  submit({.kernel = c});
  EXPECT_THAT(scheduler_->take_unknown_pairs(), ElementsAre(Pair(a_, c), Pair(b_, c)));
  EXPECT_THAT(scheduler_->take_unknown_pairs(), IsEmpty());
}

TEST_F(SchedulerTest, AWorkWaitsForThoseThatItComesAfter) {
  start("streams");
  const WorkId first = submit({.kernel = a_});
  submit({.kernel = b_, .after = {first}});
  run();
  const auto all = results(*scheduler_);
  EXPECT_GE(all.at(2)->started, all.at(1)->ended);
  submit({.kernel = b_, .after = {first}});  // which has ended
  run();
  EXPECT_TRUE(results(*scheduler_).at(3));
}

TEST_F(SchedulerTest, AFailureTakesThoseThatComeAfterItAlong) {
  start("fifo");
  machine_.refuse_launches_of.emplace(a_, Error(ErrorCode::launch_failed, "too many resources"));
  const std::array works = {Work{.kernel = a_}, Work{.kernel = b_, .after_in_batch = {0}},
                            Work{.kernel = b_, .after_in_batch = {1}}, Work{.kernel = b_}};
  ASSERT_TRUE(scheduler_->submit(works));
  run();
  const auto all = results(*scheduler_);
  EXPECT_THAT(all.at(1).error().to_string(), HasSubstr("a: too many resources"));
  EXPECT_THAT(all.at(2).error().to_string(), HasSubstr("work 1, which it comes after, did not succeed"));
  EXPECT_EQ(all.at(3).error().code(), ErrorCode::cancelled);
  EXPECT_TRUE(all.at(4));
  EXPECT_THAT(refusal({.kernel = b_, .after = {2}}), HasSubstr("did not succeed"));
}

// Works of five kernels arrive at random while others run, and some are cancelled, under each policy.
TEST_F(SchedulerTest, EachBlockRunsOnceWhateverArrivesWhen) {
  for (const char* name : {"c", "d", "e"}) machine_.add(tiny_kernel(name, 37));
  for (const PolicyTraits& policy : policies()) {
    trace_ = Trace();
    start(policy.name);
    for (KernelId i = 0; i < 5; ++i)
      for (KernelId j = i + 1; j < 5; ++j)
        scheduler_->learn(i, j, {.ratio = {1, 3}, .rates = {0.4 + 0.1 * static_cast<double>(j), 0.5}});
    Random random(7);
    std::map<WorkId, std::uint64_t> blocks;
    for (int i = 0; i < 30; ++i) {
      const KernelId kernel = random.below(5);
      blocks[submit({.kernel = kernel, .priority = static_cast<int>(random.below(3))})] = kernel < 2 ? 100 : 37;
      scheduler_->dispatch();
      scheduler_->note(machine_.wait(machine_.now() + nanoseconds_from_ms(8.0 * random.uniform())));
    }
    run();
    for (const auto& [work, result] : results(*scheduler_)) {
      EXPECT_TRUE(result) << policy.name;
      EXPECT_TRUE(ran_each_block_once(trace_, work, blocks.at(work))) << policy.name << ", work " << work;
    }
  }
}

TEST_F(SchedulerTest, EqualCallsGiveEqualRuns) {
  const auto run_of = [] {
    TinyMachine machine;
    for (const char* name : {"a", "b", "c"}) machine.add(tiny_kernel(name));
    Trace trace;
    Scheduler scheduler(machine, policy_named("random"), {}, &trace);
    for (KernelId i = 0; i < 30; ++i) EXPECT_TRUE(scheduler.submit(std::array{Work{.kernel = i % 3}}));
    run_to_end(scheduler, machine);
    return trace.json();
  };
  EXPECT_EQ(run_of(), run_of());
}

TEST_F(SchedulerTest, TenThousandWorksAtOnceAllEnd) {
  start("paired");
  std::vector<Work> works(10000);
  for (std::size_t i = 0; i < works.size(); ++i) works[i].kernel = i % 2 == 0 ? a_ : b_;
  ASSERT_TRUE(scheduler_->submit(works));
  run();
  EXPECT_THAT(results(*scheduler_), SizeIs(10000));
  EXPECT_NEAR(to_seconds(machine_.now()), 5000 * 0.0125, 0.1);
}

}  // namespace
}  // namespace wattune::schedule
