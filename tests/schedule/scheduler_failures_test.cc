// Tests which works the scheduler refuses, and what becomes of works that fail or are cancelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/scheduler_fixture.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(SchedulerTest, RefusesWhatCannotBe) {
  start("fifo");
  KernelTraits large = tiny_kernel("large");
  large.block.dynamic_shared_bytes = 1 << 20;
  const KernelId too_large = machine_.add(large);
  const KernelId empty = machine_.add(tiny_kernel("empty", 0));
  EXPECT_EQ(refusal({.kernel = 99}),
            "schedule: the machine has no kernel of this number: `99` (add it to the machine first)");
  EXPECT_EQ(refusal({.kernel = too_large}),
            "schedule: large: room of an SM: no SM holds a block of this kernel: `shared memory` (one asks for 256 "
            "threads of 32 registers and 1048576 bytes of shared memory: make it smaller)");
  EXPECT_EQ(refusal({.kernel = empty}), "schedule: the grid of a work needs at least one block: `empty`");
  EXPECT_EQ(refusal({.kernel = a_, .after = {7}}),
            "schedule: there is no earlier work of this number that another could come after: `7` (a work of the same "
            "submission is named in after_in_batch)");
  EXPECT_EQ(refusal({.kernel = a_, .after_in_batch = {1}}),
            "schedule: the submission has no work of this number: `1` (it has 1 of them, counted from 0)");
  EXPECT_EQ(refusal({.kernel = a_, .limit = Nanoseconds(0)}),
            "schedule: the time limit of a work must be above 0: `a` (kForever sets no limit)");
  EXPECT_TRUE(scheduler_->is_idle());
}

TEST_F(SchedulerTest, RefusesWorksThatWaitForEachOtherAsAWhole) {
  start("fifo");
  const std::array works = {Work{.kernel = a_}, Work{.kernel = a_, .after_in_batch = {0, 2}},
                            Work{.kernel = b_, .after_in_batch = {1}}};
  const auto refused = scheduler_->submit(works);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "schedule: works of this submission wait for each other (after_in_batch must have no cycle)");
  EXPECT_TRUE(scheduler_->is_idle());
}

TEST_F(SchedulerTest, CancellingEndsWhatWaitsAtOnceAndWhatIsLaunchedAtTheNextBlock) {
  start("paired");
  const WorkId first = submit({.kernel = a_});
  const WorkId second = submit({.kernel = a_});
  const WorkId third = submit({.kernel = a_});
  scheduler_->dispatch();
  EXPECT_TRUE(scheduler_->cancel(third));
  EXPECT_EQ(results(*scheduler_).at(third).error().to_string(), "a was cancelled");
  scheduler_->note(machine_.wait(nanoseconds_from_ms(0.95)));
  EXPECT_TRUE(scheduler_->cancel(second));
  EXPECT_TRUE(scheduler_->cancel(first));
  run();
  const auto all = results(*scheduler_);
  for (const WorkId work : {first, second}) EXPECT_EQ(all.at(work).error().code(), ErrorCode::cancelled);
  EXPECT_FALSE(ran_each_block_once(trace_, second, 100));
  EXPECT_NEAR(to_ms(machine_.now()), 1.0, 1e-6);
  EXPECT_FALSE(scheduler_->cancel(first));
}

// There is no ratio for the two, so each runs alone and nothing is observed of them together.
TEST_F(SchedulerTest, KernelsThatCannotShareAnSmRunOneAfterTheOther) {
  KernelTraits large = tiny_kernel("large");
  large.block.dynamic_shared_bytes = 130 * 1024;
  const KernelId c = machine_.add(large), d = machine_.add(large);
  start("paired").learn(c, d, residency_forecaster(machine_.limits(), {})(large, large).value());
  submit({.kernel = c});
  submit({.kernel = d});
  run();
  const auto all = results(*scheduler_);
  for (const WorkId work : {1, 2}) EXPECT_EQ(all.at(work)->partners, 0U);
  EXPECT_NEAR(to_ms(machine_.now()), 20.0, 1e-6);
}

// a runs half of its blocks and then fails; b only loses its partner.
TEST_F(SchedulerTest, AKernelThatFailsLeavesItsPartnerAlone) {
  start("paired");
  machine_.fail_when_half_done.emplace(a_, Error(ErrorCode::launch_failed, "trap"));
  submit({.kernel = a_});
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  EXPECT_THAT(all.at(1).error().to_string(), HasSubstr("a: trap"));
  EXPECT_TRUE(all.at(2));
  EXPECT_TRUE(ran_each_block_once(trace_, 2, 100));
}

TEST_F(SchedulerTest, WhatPassesItsLimitIsStopped) {
  start("paired");
  machine_.never_ends[a_] = false;
  submit({.kernel = a_, .limit = nanoseconds_from_ms(30)});
  submit({.kernel = b_});
  run();
  const auto all = results(*scheduler_);
  EXPECT_EQ(all.at(1).error().code(), ErrorCode::timeout);
  EXPECT_THAT(all.at(1).error().to_string(), HasSubstr("a runs for longer than its limit of 30.000 ms"));
  EXPECT_TRUE(all.at(2));
  EXPECT_FALSE(scheduler_->lost());
}

// A block that never ends reads no stop word. The machine is given up after a limit of 30 ms and a grace of 20 ms.
TEST_F(SchedulerTest, WhatDoesNotEndWhenToldCostsTheMachineAndSaysSo) {
  start("paired", {.grace = nanoseconds_from_ms(20)});
  machine_.never_ends[a_] = true;
  submit({.kernel = a_, .limit = nanoseconds_from_ms(30)});
  submit({.kernel = a_});
  run();
  EXPECT_NEAR(to_ms(machine_.now()), 50.0, 1e-6);
  const auto all = results(*scheduler_);
  ASSERT_THAT(all, SizeIs(2));
  for (const auto& [work, result] : all) EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_THAT(scheduler_->lost()->to_string(), HasSubstr("a did not end when it was told to"));
  EXPECT_THAT(refusal({.kernel = b_}), HasSubstr("did not end when it was told to"));
}

TEST_F(SchedulerTest, AMachineThatIsLostFailsAllWorks) {
  start("paired");
  machine_.fail_when_half_done.emplace(a_, Error(ErrorCode::device_lost, "the context is gone"));
  for (int i = 0; i < 3; ++i) submit({.kernel = i == 0 ? a_ : b_});
  run();
  for (const auto& [work, result] : results(*scheduler_))
    EXPECT_THAT(result.error().to_string(), HasSubstr("a: the context is gone"));
  EXPECT_FALSE(scheduler_->is_running());
}

}  // namespace
}  // namespace wattune::schedule
