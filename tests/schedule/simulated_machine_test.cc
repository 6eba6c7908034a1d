#include "schedule/interface/simulated_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "schedule/interface/queue_experiment.h"
#include "schedule/scheduler_runs.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

// Returns a part of a C2050, whose multiprocessors hold eight blocks.
simulate::GpuModel small_gpu() { return simulate::with_sms(*simulate::find_gpu_model("C2050"), 2); }

simulate::SimulatedKernel short_kernel(const std::string& name, std::uint64_t blocks) {
  for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) {
    if (row.kernel.name != name) continue;
    simulate::SimulatedKernel kernel = row.kernel;
    kernel.blocks = blocks;
    return kernel;
  }
  return {};
}

TEST(SimulatedMachine, ProfilesAKernelThatRunsAlone) {
  const auto traits = profile_alone(short_kernel("TEA", 64), small_gpu());
  ASSERT_TRUE(traits) << traits.error().to_string();
  EXPECT_EQ(traits->blocks, 64U);
  EXPECT_GT(traits->alone, Nanoseconds(0));
  EXPECT_GT(traits->utilisation->pipeline, 0.8);  // it only computes
  EXPECT_EQ(traits->saturating_share, 1.0);
  ASSERT_EQ(traits->rate_at_residency.size(), 8U);
  EXPECT_LT(traits->rate_at_residency.front(), 0.5);
  EXPECT_EQ(traits->rate_at_residency.back(), 1.0);
}

TEST(SimulatedMachine, RefusesAKernelThatNoMultiprocessorHolds) {
  simulate::SimulatedKernel large = short_kernel("TEA", 64);
  large.block.static_shared_bytes = 64 * 1024;
  SimulatedMachine machine(small_gpu());
  EXPECT_FALSE(machine.add(large));
  EXPECT_EQ(machine.kernel(0), nullptr);
}

TEST(SimulatedMachine, TimePassesToTheEndOfAWaitInWhichNothingEnds) {
  SimulatedMachine machine(small_gpu());
  EXPECT_TRUE(machine.wait(Nanoseconds(500)).empty());
  EXPECT_EQ(machine.now(), Nanoseconds(500));
  EXPECT_TRUE(machine.wait(kForever).empty());
}

TEST(SimulatedMachine, StopsAPersistentLaunchWithTheBlocksThatItHas) {
  SimulatedMachine machine(small_gpu());
  const KernelId kernel = machine.add(short_kernel("TEA", 160)).value();
  const Launch launch{.kernel = kernel, .form = Form::persistent, .blocks = 160, .per_sm = 2};
  const LaunchId id = machine.launch(launch).value();
  EXPECT_TRUE(machine.wait(*machine.kernel(kernel)->alone * 0.5).empty());
  machine.stop(id);
  const auto ended = machine.wait(kForever);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_GT(ended.front().blocks, 4U);
  EXPECT_LT(ended.front().blocks, 160U);
}

TEST(SimulatedMachine, KernelsOnSmsOfTheirOwnDoNotTouchEachOther) {
  SimulatedMachine machine(small_gpu());
  const KernelId kernel = machine.add(short_kernel("TEA", 64)).value();
  const Launch one{.kernel = kernel, .blocks = 64, .lane = 0, .sms = {0, 1}};
  const Launch other{.kernel = kernel, .blocks = 64, .lane = 1, .sms = {1, 1}};
  ASSERT_TRUE(machine.launch(one));
  const Nanoseconds alone = machine.wait(kForever).front().end;
  ASSERT_TRUE(machine.launch(one));
  ASSERT_TRUE(machine.launch(other));
  const Ended first = machine.wait(kForever).front();
  EXPECT_NEAR((first.end - first.begin) / alone, 1.0, 0.05);
}

// Returns when the last of three works has ended. The first is cancelled after 2 ms; from then on the third shares the
// SMs with the second.
Nanoseconds end_after_cancelling(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                                 Nanoseconds drain) {
  const auto machine = simulated_machine(gpu, kernels);
  Scheduler scheduler(*machine, find_policy("paired").value(), {.drain = drain});
  scheduler.learn(0, 1, {.ratio = {2, 6}, .rates = {0.9, 0.9}});
  scheduler.learn(1, 2, {.ratio = {6, 2}, .rates = {0.9, 0.9}});
  const auto works = scheduler.submit(std::array{Work{.kernel = 0}, Work{.kernel = 1}, Work{.kernel = 2}}).value();
  const Nanoseconds moment = nanoseconds_from_ms(2);
  scheduler.dispatch();
  while (machine->now() < moment) scheduler.note(machine->wait(moment));
  scheduler.cancel(works.front());
  run_to_end(scheduler, *machine);
  return machine->now();
}

// A work that began among leaving blocks would get more blocks onto the SMs that they leave first, which takes longer.
TEST(SimulatedMachine, WhatFollowsACancelledWorkBeginsWhenThatHasLeft) {
  const simulate::GpuModel gpu = simulate::with_sms(*simulate::find_gpu_model("H100"), 8);
  std::vector<simulate::SimulatedKernel> kernels;
  for (const char* const name : {"PC", "TEA", "PC"}) {
    kernels.push_back(short_kernel(name, 1));
    kernels.back().variation = 0.3;
  }
  const auto profiled = profile_all(gpu, equally_long(gpu, kernels, nanoseconds_from_ms(4), 8).value()).value();
  const Nanoseconds waiting = end_after_cancelling(gpu, profiled, SchedulerOptions().drain);
  EXPECT_LT(waiting, end_after_cancelling(gpu, profiled, Nanoseconds(0)));
}

// Random arrivals of three kernels run under each policy. Only the trace tells from outside what ran where.
TEST(SimulatedMachine, EachBlockRunsOnceUnderEachPolicy) {
  for (const PolicyTraits& policy : policies()) {
    SimulatedMachine machine(small_gpu());
    const std::array<std::uint64_t, 3> grids = {40, 55, 71};
    std::array names = {"PC", "TEA", "SAD"};
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(machine.add(short_kernel(names[i], grids[i])));
    Trace trace;
    Scheduler scheduler(machine, find_policy(policy.name).value(), {}, &trace);
    const Forecaster forecast = residency_forecaster(machine.limits(), {});
    for (KernelId i = 0; i < 3; ++i)
      for (KernelId j = i + 1; j < 3; ++j) {
        PairForecast pair = forecast(*machine.kernel(i), *machine.kernel(j)).value();
        if (policy.forecasts == ForecastKind::split) pair.sms_of_first = 1;
        scheduler.learn(i, j, pair);
      }
    Random random(3);
    for (WorkId id = 1; id <= 20; ++id) {
      ASSERT_TRUE(scheduler.submit(std::array{Work{.kernel = id % 3}}));
      scheduler.dispatch();
      scheduler.note(machine.wait(machine.now() + Nanoseconds(3e5 * random.uniform())));
    }
    run_to_end(scheduler, machine);
    for (WorkId id = 1; id <= 20; ++id)
      EXPECT_TRUE(ran_each_block_once(trace, id, grids[id % 3])) << policy.name << ", work " << id;
  }
}

}  // namespace
}  // namespace wattune::schedule
