// Tests which works the scheduler launches behind running ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/scheduler_fixture.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::SizeIs;

// The device does not wait for the host between the works.
TEST_F(SchedulerTest, WhatComesNextIsLaunchedBehindWhatRuns) {
  start("fifo");
  submit({.kernel = a_});
  submit({.kernel = b_, .limit = nanoseconds_from_ms(11)});  // counted from its turn
  submit({.kernel = a_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(2));
  EXPECT_EQ(machine_.launches[1].lane, machine_.launches[0].lane);
  run();
  const auto all = results(*scheduler_);
  for (const WorkId work : {1, 2, 3}) {
    EXPECT_NEAR(to_ms(all.at(work)->ended), 10.0 * static_cast<double>(work), 1e-9);
    EXPECT_NEAR(to_ms(all.at(work)->solo), 10.0, 1e-9);
  }
}

// The next work has a lane of its own, in which it begins as soon as blocks of the first leave an SM.
TEST_F(SchedulerTest, WhatComesNextFillsTheSmsThatWhatRunsAloneLeaves) {
  start("paired");
  for (int i = 0; i < 3; ++i) submit({.kernel = a_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(2));
  EXPECT_NE(machine_.launches[0].lane, machine_.launches[1].lane);
  scheduler_->note(machine_.wait(kForever));
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(3));
  EXPECT_EQ(machine_.launches[2].lane, machine_.launches[0].lane);
  run();
}

// b gives way to c, which is urgent, at its next block. The work that was launched behind a never begins, and is not
// waited for.
TEST_F(SchedulerTest, WhatNeverBeganIsNotWaitedFor) {
  const KernelId c = machine_.add(tiny_kernel("c"));
  machine_.set_rates(a_, c, 0.9, 0.9);
  start("paired").learn(a_, c, {.ratio = {2, 2}, .rates = {0.9, 0.9}});
  for (int i = 0; i < 2; ++i) submit({.kernel = a_});
  submit({.kernel = b_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(3));
  scheduler_->note(machine_.wait(nanoseconds_from_ms(2.55)));
  submit({.kernel = c, .priority = 1});
  scheduler_->dispatch();
  scheduler_->note(machine_.wait(kForever));
  scheduler_->dispatch();
  EXPECT_EQ(machine_.launches.back().kernel, c);
  EXPECT_NEAR(to_ms(machine_.now()), 2.625, 1e-9);
  run();
}

// The work behind may begin early. So the pair that an arrival makes begins only when both works have left.
TEST_F(SchedulerTest, WhatFillsTheSmsLeavesBeforeAPairBegins) {
  start("paired");
  for (int i = 0; i < 2; ++i) submit({.kernel = a_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(2));
  scheduler_->note(machine_.wait(nanoseconds_from_ms(1.05)));
  submit({.kernel = b_});
  scheduler_->dispatch();
  EXPECT_THAT(machine_.launches, SizeIs(2));
  run();
  EXPECT_TRUE(ran_each_block_once(trace_, 1, 100));
  EXPECT_TRUE(ran_each_block_once(trace_, 2, 100));
}

// With 4 ms of c and 20 ms of d, 2:2 would be better, which suits d. But when the first c ends, 10 ms of d are left, so
// both go on at 1:3 and end together.
TEST(QueueAhead, WhatGoesOnIsExpectedToHaveRunUntilThen) {
  TinyMachine machine;
  const KernelId c = machine.add(tiny_kernel("c", 40));
  const KernelId d = machine.add(tiny_kernel("d", 200));
  machine.set_rates(c, d, 0.4, 1.0);
  Scheduler scheduler(machine, find_policy("paired").value());
  scheduler.learn(c, d, best_of({}, {{.ratio = {1, 3}, .rates = {0.4, 1.0}}, {.ratio = {2, 2}, .rates = {0.2, 1.1}}}));
  const std::array works = {Work{.kernel = c}, Work{.kernel = d}, Work{.kernel = c}};
  ASSERT_TRUE(scheduler.submit(works));
  scheduler.dispatch();
  ASSERT_THAT(machine.launches, SizeIs(3));
  EXPECT_EQ(machine.launches[2].kernel, c);
  EXPECT_EQ(machine.launches[2].per_sm, 1U);
}

TEST_F(SchedulerTest, OfAPairEachHasTheNextOfItsKernelBehindIt) {
  start("paired");
  for (int i = 0; i < 6; ++i) submit({.kernel = i % 2 == 0 ? a_ : b_});
  scheduler_->dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(4));
  for (const std::size_t ahead : {2U, 3U}) {
    const Launch& before = machine_.launches[machine_.launches[ahead].kernel == machine_.launches[0].kernel ? 0 : 1];
    EXPECT_EQ(machine_.launches[ahead].lane, before.lane);
    EXPECT_EQ(machine_.launches[ahead].per_sm, 2U);
  }
  run();
  EXPECT_THAT(machine_.launches, SizeIs(6));
}

// b arrives while a runs with another work behind it. That one gives way to the pair of a and b before it has begun.
TEST_F(SchedulerTest, WhatIsLaunchedBehindGivesWayToABetterPlan) {
  start("paired");
  submit({.kernel = a_});
  submit({.kernel = a_});
  scheduler_->dispatch();
  EXPECT_THAT(machine_.launches, SizeIs(2));
  scheduler_->note(machine_.wait(nanoseconds_from_ms(3)));
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  EXPECT_NEAR(to_ms(all.at(3)->started), 3.0, 0.2);
  EXPECT_LE(all.at(1)->ended, all.at(2)->started);
  for (const WorkId work : {1, 2, 3}) EXPECT_TRUE(ran_each_block_once(trace_, work, 100)) << work;
}

// The urgent one of equal kernels comes next, whichever work was launched behind the running one.
TEST_F(SchedulerTest, WhatIsLaunchedBehindGivesWayToWhatIsUrgent) {
  start("paired", {}).learn(a_, b_, {});
  const WorkId running = submit({.kernel = a_, .priority = 1});
  const WorkId behind = submit({.kernel = a_});
  scheduler_->dispatch();
  EXPECT_THAT(machine_.launches, SizeIs(2));
  const WorkId urgent = submit({.kernel = b_, .priority = 1});
  run();
  const auto all = results(*scheduler_);
  EXPECT_NEAR(to_ms(all.at(running)->ended), 10.0, 0.2);
  EXPECT_NEAR(to_ms(all.at(urgent)->ended), 20.0, 0.4);
  EXPECT_NEAR(to_ms(all.at(behind)->ended), 30.0, 0.4);
}

// When b has ended, SMs need no longer divide their memory. a is almost as fast as alone, and is not stopped for that.
TEST_F(SchedulerTest, WhatGoesOnAloneKeepsItsShareOfTheMemory) {
  KernelTraits shares = tiny_kernel("shares");
  shares.block.static_shared_bytes = 20'000;
  shares.rate_at_residency = {0.5, 0.999, 1.0, 1.0};
  const KernelId long_one = machine_.add(shares);
  machine_.set_rates(long_one, b_, 0.8, 0.8);
  start("paired").learn(long_one, b_, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
  submit({.kernel = long_one});
  scheduler_->dispatch();
  scheduler_->note(machine_.wait(nanoseconds_from_ms(3)));
  submit({.kernel = b_});
  submit({.kernel = long_one});
  run();
  // The launches are one work alone, which gives way to the pair, the two of the pair, and the other work behind the
  // first.
  EXPECT_THAT(machine_.launches, SizeIs(4));
  EXPECT_EQ(machine_.launches.back().per_sm, 2U);
}

}  // namespace
}  // namespace wattune::schedule
