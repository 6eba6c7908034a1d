// Works that begin at once, beside pairs of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "schedule/interface/policy.h"
#include "schedule/interface/scheduler.h"
#include "schedule/scheduler_runs.h"
#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::SizeIs;

// Eight SMs that are split in fours. a and b take 10 ms alone. They gain 90 % by shared SMs, and 40 % as whole kernels
// on four SMs each. c is short.
class UrgentWorks : public ::testing::Test {
 protected:
  UrgentWorks()
      : a_(machine_.add(tiny_kernel("a"))), b_(machine_.add(tiny_kernel("b"))), c_(machine_.add(tiny_kernel("c", 4))) {
    table_.learn(a_, b_,
                 best_of({}, {{.ratio = {2, 2}, .rates = {0.95, 0.95}},
                              {.sms_of_first = 4, .whole = true, .rates = {0.7, 0.7}, .measured = 1}}));
    machine_.set_split_rates(a_, b_, 0.7, 0.7);
  }

  Candidate waiting(WorkId work, KernelId kernel, int priority = 0) const {
    return {.work = work, .kernel = kernel, .traits = machine_.kernel(kernel), .priority = priority};
  }
  static Candidate running(Candidate work, const SmRange& sms) {
    work.running = Share{.work = work.work, .sms = sms};
    return work;
  }
  Plan plan_of(std::vector<Candidate> works, std::optional<int> urgent_from) const {
    const QueueView view{.limits = machine_.limits(), .now = {}, .works = std::move(works)};
    return find_policy("paired", {.urgent_from = urgent_from}).value()(view, table_);
  }

  TinyMachine machine_{8, 4};
  KernelId a_;
  KernelId b_;
  KernelId c_;
  PairTable table_{8};
};

TEST_F(UrgentWorks, BeginBesideWhateverRuns) {
  const Candidate a = running(waiting(1, a_), {0, 4});
  const Candidate b = running(waiting(2, b_), {4, 4});
  const Plan planned = plan_of({a, b, waiting(3, c_, 1), waiting(4, c_, 2)}, 1);
  ASSERT_THAT(planned.shares, SizeIs(4));
  EXPECT_EQ(planned.shares[0], (Share{.work = 3, .priority = 2}));
  EXPECT_EQ(planned.shares[1], (Share{.work = 4, .priority = 3}));
  EXPECT_EQ(planned.shares[2], *a.running);
  EXPECT_EQ(planned.shares[3], *b.running);
}

TEST_F(UrgentWorks, LetOthersRunInPairsThatGiveWayBlockByBlock) {
  const std::vector<Candidate> works = {waiting(1, a_), waiting(2, b_)};
  for (const Share& share : plan_of(works, {}).shares) EXPECT_EQ(share.form, Form::persistent);
  const Plan planned = plan_of(works, 1);
  ASSERT_THAT(planned.shares, SizeIs(2));
  EXPECT_EQ(planned.shares[0], (Share{.work = 1, .sms = {0, 4}}));
  EXPECT_EQ(planned.shares[1], (Share{.work = 2, .sms = {4, 4}}));
}

// A work of 10 ms runs as a twin, which could be stopped, unless urgent works take the places of its blocks.
TEST_F(UrgentWorks, LetALongWorkRunWholeAlone) {
  EXPECT_EQ(plan_of({waiting(1, a_)}, {}).shares.front().form, Form::persistent);
  EXPECT_EQ(plan_of({waiting(1, a_)}, 1).shares.front().form, Form::whole);
}

TEST_F(UrgentWorks, AreLaunchedWhenTheyComeAndWaitBehindNoLaunch) {
  Trace trace;
  Scheduler scheduler(machine_, find_policy("paired", {.urgent_from = 1}).value(), {}, &trace);
  scheduler.learn(table_);
  const std::array others = {Work{.kernel = a_}, Work{.kernel = b_}, Work{.kernel = a_}, Work{.kernel = b_}};
  ASSERT_TRUE(scheduler.submit(others));
  scheduler.dispatch();
  // Each of the two that run has the next one of its kernel in another lane.
  ASSERT_THAT(machine_.launches, SizeIs(4));
  for (const Launch& one : machine_.launches)
    for (const Launch& other : machine_.launches)
      EXPECT_TRUE(&one == &other || one.lane != other.lane || one.sms != other.sms);
  scheduler.note(machine_.wait(nanoseconds_from_ms(3)));
  const WorkId urgent = scheduler.submit(std::array{Work{.kernel = c_, .priority = 1}}).value().front();
  scheduler.dispatch();
  ASSERT_THAT(machine_.launches, SizeIs(5));
  EXPECT_EQ(machine_.launches.back().kernel, c_);
  EXPECT_EQ(machine_.launches.back().priority, 2);
  EXPECT_EQ(machine_.launches.back().sms.count, 0U);
  run_to_end(scheduler, machine_);
  const auto all = results(scheduler);
  EXPECT_NEAR(to_ms(all.at(urgent)->started), 3.0, 1e-9);
  for (const WorkId work : {1, 2, 3, 4}) EXPECT_TRUE(ran_each_block_once(trace, work, 100)) << work;
}

// A decision sees 64 works, which are all of the same kernel as the urgent one.
TEST_F(UrgentWorks, AreSeenBehindALongQueue) {
  Scheduler scheduler(machine_, find_policy("paired", {.urgent_from = 1}).value());
  const std::vector<Work> queue(200, Work{.kernel = c_});
  ASSERT_TRUE(scheduler.submit(queue));
  ASSERT_TRUE(scheduler.submit(std::array{Work{.kernel = c_, .priority = 1}}));
  scheduler.dispatch();
  EXPECT_EQ(std::ranges::count(machine_.launches, 2, &Launch::priority), 1);
}

}  // namespace
}  // namespace wattune::schedule
