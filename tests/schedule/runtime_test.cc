#include "schedule/interface/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fakes/fake_device.h"
#include "schedule/interface/clock_governor.h"
#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// A tiny machine that waits at a gate, so that a test decides when something ends.
class GatedMachine : public TinyMachine {
 public:
  std::vector<std::thread::id> launched_by;  // the thread of each launch, in order

  void open() { is_open_ = true, is_open_.notify_all(); }
  Result<LaunchId> launch(const Launch& launch) override {
    launched_by.push_back(std::this_thread::get_id());
    return TinyMachine::launch(launch);
  }
  std::vector<Ended> wait(Nanoseconds until) override {
    is_open_.wait(false);
    return TinyMachine::wait(until);
  }

 private:
  std::atomic<bool> is_open_ = false;
};

struct Opened {
  GatedMachine* machine;  // owned by the runtime
  std::unique_ptr<Runtime> runtime;
};

// Opens a runtime with kernels 0 and 1, "a" and "b", which gain 60 % together.
Opened open_runtime(RuntimeOptions options = {}) {
  auto machine = std::make_unique<GatedMachine>();
  GatedMachine* const kept = machine.get();
  kept->add(tiny_kernel("a"));
  kept->add(tiny_kernel("b"));
  kept->set_rates(0, 1, 0.8, 0.8);
  if (!options.policy) options.policy = find_policy("paired").value();
  return {kept, std::make_unique<Runtime>(std::move(machine), std::move(options))};
}

PairForecast good_pair() { return {.ratio = {2, 2}, .rates = {0.8, 0.8}}; }

TEST(Runtime, RunsWhatIsSubmitted) {
  auto [machine, runtime] = open_runtime();
  const Ticket ticket = runtime->submit({.kernel = 0}).value();
  EXPECT_FALSE(ticket.is_done());
  EXPECT_FALSE(ticket.wait_for(std::chrono::nanoseconds(1)));
  machine->open();
  const auto result = ticket.wait();
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_NEAR(to_ms(result->solo), 10.0, 1e-9);
  EXPECT_TRUE(ticket.is_done());
  EXPECT_EQ(runtime->statistics().succeeded, 1U);
}

// The machine waits at its gate, and the driver may be asleep.
TEST(Runtime, WhoSubmitsToAnIdleMachineLaunches) {
  auto [machine, runtime] = open_runtime();
  const Ticket ticket = runtime->submit({.kernel = 0}).value();
  EXPECT_THAT(machine->launched_by, testing::ElementsAre(std::this_thread::get_id()));
  machine->open();
  EXPECT_TRUE(ticket.wait());
}

TEST(Runtime, WhoSubmitsWhileSomethingRunsLeavesItToTheDriver) {
  auto [machine, runtime] = open_runtime({.policy = find_policy("streams").value()});
  const Ticket first = runtime->submit({.kernel = 0}).value();
  const Ticket second = runtime->submit({.kernel = 1}).value();
  machine->open();
  ASSERT_TRUE(first.wait() && second.wait());
  EXPECT_THAT(machine->launched_by,
              testing::ElementsAre(std::this_thread::get_id(), testing::Ne(std::this_thread::get_id())));
}

// A tiny machine whose time leaps whenever it is read while nothing runs.
class LeapingMachine : public TinyMachine {
 public:
  Nanoseconds now() const override {
    if (is_idle_) ++leaps_;
    return TinyMachine::now() + leaps_.load() * nanoseconds_from_seconds(30);
  }
  std::vector<Ended> wait(Nanoseconds until) override {
    auto ended = TinyMachine::wait(until);
    is_idle_ = !ended.empty();
    return ended;
  }

 private:
  std::atomic<bool> is_idle_ = false;
  mutable std::atomic<int> leaps_ = 0;
};

// Clocks are set for the kernel, and then again and again though no work is left.
TEST(Runtime, SaysThatItLivesWhileItHoldsClocks) {
  std::atomic<int> sets = 0;
  fakes::FakeClocks board;
  board.answer = [&](const Clocks&) -> Result<void> {
    ++sets;
    sets.notify_all();
    return {};
  };
  auto machine = std::make_unique<LeapingMachine>();
  KernelTraits kernel = tiny_kernel("a");
  kernel.best_clocks = Clocks{.graphics = Megahertz(900)};
  machine->add(kernel);
  Runtime runtime(std::move(machine), {.policy = find_policy("paired").value(), .scheduler = {.clocks = &board}});
  ASSERT_TRUE(runtime.submit({.kernel = 0})->wait());
  for (int seen = sets; seen < 10; seen = sets) sets.wait(seen);
}

TEST(Runtime, ForecastsPairsWhileTheirKernelsRunAlone) {
  std::atomic<int> forecasts = 0;
  auto [machine, runtime] = open_runtime({.forecaster = [&](const KernelTraits&, const KernelTraits&) {
    ++forecasts;
    return Result<PairForecast>(good_pair());
  }});
  machine->open();
  std::vector<Ticket> tickets;
  for (int round = 0; round < 50; ++round)
    for (const KernelId kernel : {0, 1}) tickets.push_back(runtime->submit({.kernel = kernel}).value());
  for (const Ticket& ticket : tickets) EXPECT_TRUE(ticket.wait());
  EXPECT_LE(forecasts, 1);
}

TEST(Runtime, ManyThreadsSubmitAndCancel) {
  auto [machine, runtime] = open_runtime(
      {.forecaster = [](const KernelTraits&, const KernelTraits&) { return Result<PairForecast>(good_pair()); },
       .most_works = 16,
       .trace_events = 100});
  machine->open();
  std::atomic<int> ended = 0;
  std::vector<std::thread> tenants;
  for (unsigned tenant = 0; tenant < 4; ++tenant)
    tenants.emplace_back([&, tenant] {
      for (unsigned i = 0; i < 200; ++i) {
        const Ticket ticket = runtime->submit({.kernel = (tenant + i) % 2, .tenant = tenant}).value();
        if (i % 7 == 0) runtime->cancel(ticket);
        const auto result = ticket.wait();
        EXPECT_TRUE(result || result.error().code() == ErrorCode::cancelled);
        ++ended;
      }
    });
  for (std::thread& tenant : tenants) tenant.join();
  EXPECT_EQ(ended, 800);
  const RuntimeStatistics statistics = runtime->statistics();
  EXPECT_EQ(statistics.succeeded + statistics.failed, 800U);
  EXPECT_EQ(statistics.waiting, 0U);
  EXPECT_THAT(runtime->trace_json(), HasSubstr("traceEvents"));
}

TEST(Runtime, TenThousandSubmissionsAtOnceAllEnd) {
  auto [machine, runtime] = open_runtime();
  machine->open();
  const std::vector<Work> works(10000, Work{.kernel = 0});
  const auto tickets = runtime->submit(works).value();
  for (const Ticket& ticket : tickets) ASSERT_TRUE(ticket.wait());
  EXPECT_EQ(runtime->statistics().succeeded, 10000U);
}

TEST(Runtime, RefusesWhatItHasNoRoomForWhereItWasToldTo) {
  auto [machine, runtime] = open_runtime({.most_works = 2, .when_full = WhenFull::refuse});
  const std::vector<Work> works(3, Work{.kernel = 0});
  EXPECT_THAT(runtime->submit(works).error().to_string(), HasSubstr("these works are more than it ever holds at once"));
  ASSERT_TRUE(runtime->submit(std::span(works).first(2)));
  const auto refused = runtime->submit(works.front());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::busy);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("it has no room for more works: `2`"));
  machine->open();
}

TEST(Runtime, WaitsForRoomOtherwise) {
  auto [machine, runtime] = open_runtime({.most_works = 1});
  const Ticket first = runtime->submit({.kernel = 0}).value();
  std::thread second([&, &runtime = runtime] {
    const Ticket ticket = runtime->submit({.kernel = 1}).value();
    EXPECT_TRUE(first.is_done());
    EXPECT_TRUE(ticket.wait());
  });
  machine->open();
  second.join();
}

TEST(Runtime, RefusesWhatCannotBe) {
  auto [machine, runtime] = open_runtime();
  machine->open();
  EXPECT_THAT(runtime->submit({.kernel = 7}).error().to_string(),
              HasSubstr("the machine has no kernel of this number: `7`"));
  const std::vector<Work> cycle = {Work{.kernel = 0, .after_in_batch = {1}}, Work{.kernel = 0, .after_in_batch = {0}}};
  EXPECT_THAT(runtime->submit(cycle).error().to_string(), HasSubstr("wait for each other"));
}

TEST(Runtime, FinishesWhatItHasBeforeItShutsDown) {
  auto [machine, runtime] = open_runtime();
  const Ticket ticket = runtime->submit({.kernel = 0}).value();
  machine->open();
  runtime->shutdown(Shutdown::finish);
  EXPECT_TRUE(ticket.is_done());
  EXPECT_TRUE(ticket.wait());
  const auto refused = runtime->submit({.kernel = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(refused.error().to_string(), "runtime: it was shut down and takes no more works (make another runtime)");
  runtime->shutdown(Shutdown::cancel);  // once more does nothing
}

TEST(Runtime, CancelsWhatItHasWhenItIsDestroyed) {
  auto [machine, runtime] = open_runtime();
  std::vector<Ticket> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(runtime->submit({.kernel = 0}).value());
  machine->open();
  runtime.reset();
  for (const Ticket& ticket : tickets) EXPECT_TRUE(ticket.is_done());
  EXPECT_EQ(tickets.back().wait().error().code(), ErrorCode::cancelled);
}

TEST(Runtime, SaysWhatWasLostWithTheMachine) {
  auto [machine, runtime] = open_runtime();
  machine->fail_when_half_done.emplace(0, Error(ErrorCode::device_lost, "the context is gone"));
  const std::vector<Work> works = {Work{.kernel = 0}, Work{.kernel = 0}, Work{.kernel = 1}};
  const auto tickets = runtime->submit(works).value();
  machine->open();
  for (const Ticket& ticket : tickets)
    EXPECT_THAT(ticket.wait().error().to_string(), HasSubstr("a: the context is gone"));
  EXPECT_TRUE(runtime->lost());
  EXPECT_EQ(runtime->submit({.kernel = 1}).error().code(), ErrorCode::device_lost);
}

TEST(Runtime, AFaultOfOneWorkLeavesTheOthers) {
  auto [machine, runtime] = open_runtime();
  machine->fail_when_half_done.emplace(0, Error(ErrorCode::launch_failed, "trap"));
  const std::vector<Work> works = {Work{.kernel = 0}, Work{.kernel = 1}, Work{.kernel = 1}};
  const auto tickets = runtime->submit(works).value();
  machine->open();
  EXPECT_THAT(tickets[0].wait().error().to_string(), HasSubstr("a: trap"));
  EXPECT_TRUE(tickets[1].wait());
  EXPECT_TRUE(tickets[2].wait());
}

}  // namespace
}  // namespace wattune::schedule
