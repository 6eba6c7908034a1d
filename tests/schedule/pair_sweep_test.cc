// Tests sweeps, profiles and pilots, which measure kernels and pairs, on machines in virtual time.
#include "wattune/schedule/pair_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schedule/interface/profile.h"
#include "schedule/interface/queue_experiment.h"
#include "schedule/interface/simulated_machine.h"
#include "schedule/tiny_machine.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/schedule/forecast.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

// Returns an eighth of the SMs of an H100 with their share of the memory. The probes FMA (C) and dependent random reads
// (L) run there in four waves each.
simulate::GpuModel part_of_h100() { return simulate::with_sms(*simulate::find_gpu_model("H100"), 16); }

simulate::SimulatedKernel probe_of_waves(simulate::SimulatedKernel probe, unsigned waves) {
  probe.blocks = waves * 8U * 16U;
  return probe;
}

SimulatedMachine& add_probes(SimulatedMachine& machine, unsigned waves = 16) {
  EXPECT_TRUE(machine.add(probe_of_waves(simulate::fma_probe(), waves)));
  EXPECT_TRUE(machine.add(probe_of_waves(simulate::gather_probe(), waves)));
  return machine;
}

std::vector<SweepRow> rows_of(const PairSweep& sweep, Way way) {
  std::vector<SweepRow> rows;
  std::ranges::copy_if(sweep.rows, std::back_inserter(rows),
                       [way](const SweepRow& row) { return row.arrangement.way == way; });
  return rows;
}

// On an H100 the best ratio gains 96 %, the best split 51 %, and streams 0 to 2 %.
TEST(PairSweep, SharesOfAnH100GainMostAndStreamsNothing) {
  SimulatedMachine machine(part_of_h100());
  const PairSweep sweep = sweep_pair(add_probes(machine), 0, 1, {.rounds = 1}).value();
  const SweepRow* best = sweep.best(is_share);
  const SweepRow* baseline = sweep.best(is_baseline);
  ASSERT_NE(best, nullptr);
  ASSERT_NE(baseline, nullptr);
  EXPECT_GT(best->gain, 0.7);
  EXPECT_EQ(baseline->arrangement.way, Way::split);
  EXPECT_LT(baseline->gain, best->gain - 0.2);
  EXPECT_NEAR(rows_of(sweep, Way::in_turn).front().gain, 0.0, 0.02);
  EXPECT_NEAR(rows_of(sweep, Way::streams).front().gain, 0.0, 0.05);
  EXPECT_EQ(rows_of(sweep, Way::priority).size(), 2U);
  EXPECT_EQ(rows_of(sweep, Way::split).size(), 3U);   // 4:12, 8:8, 12:4
  EXPECT_EQ(rows_of(sweep, Way::shares).size(), 7U);  // 1:7 to 7:1
}

// The kernels take 1 ms and 3.4 ms. Three launches of the first are 3 ms, 12 % less than one of the second; seven are
// 2.9 % more than two. A machine of one SM cannot split its SMs.
TEST(PairSweep, RepeatsTheShorterKernelUntilBothTakeEquallyLong) {
  TinyMachine machine;
  machine.add(tiny_kernel("short", 10));
  machine.add(tiny_kernel("long", 34));
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 1}).value();
  EXPECT_THAT(sweep.repetitions, testing::ElementsAre(7, 2));
  EXPECT_NEAR(to_ms(sweep.alone[0]), 7.0, 1e-6);
  EXPECT_NEAR(to_ms(sweep.alone[1]), 6.8, 1e-6);
  EXPECT_TRUE(rows_of(sweep, Way::split).empty());
}

// Each takes 0.5 ms: four launches reach the 2 ms that a run takes at least.
TEST(PairSweep, RepeatsBothWhereTheyAreTooShortToMeasure) {
  TinyMachine machine;
  machine.add(tiny_kernel("a", 5));
  machine.add(tiny_kernel("b", 5));
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 1}).value();
  EXPECT_THAT(sweep.repetitions, testing::ElementsAre(4, 4));
}

TEST(PairSweep, RefusesTimesThatCannotBeMatched) {
  TinyMachine machine;
  machine.add(tiny_kernel("short", 1));
  machine.add(tiny_kernel("long", 100000));
  const auto refused = sweep_pair(machine, 0, 1);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(),
              HasSubstr("differ too much to be matched by repetitions: `0.100 ms and 10000.000 ms`"));
}

// Each has 0.9 of its speed beside the other. Both take 10 ms / 0.9, which is a gain of 0.8 by the definition of gain.
TEST(PairSweep, GainIsTheSumOfTheTimesAloneOverTheMakespanLessOne) {
  TinyMachine machine;
  for (const char* const name : {"a", "b"}) {
    KernelTraits kernel = tiny_kernel(name);
    kernel.profile.blocks_alone = 8;
    machine.add(kernel);
  }
  machine.set_rates(0, 1, 0.9, 0.9);
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 2}).value();
  const SweepRow* best = sweep.best(is_share);
  ASSERT_NE(best, nullptr);
  EXPECT_NEAR(best->gain, 0.8, 1e-6);
  EXPECT_NEAR(to_ms(best->times[0]), 10.0 / 0.9, 1e-6);
  EXPECT_NEAR(rows_of(sweep, Way::in_turn).front().gain, 0.0, 1e-9);
  ASSERT_TRUE(best->energy);
  EXPECT_NEAR(best->energy->value(), 100.0 * 0.01 / 0.9, 1e-6);  // 100 W
  ASSERT_EQ(best->makespans.size(), 2U);
  EXPECT_NEAR(to_ms(best->makespans[1]), 10.0 / 0.9, 1e-6);
  EXPECT_EQ(sweep.alone_by_round[0].size(), 2U);
  EXPECT_NEAR(to_ms(time_both_alone(machine, sweep).value()), 20.0, 1e-6);
  EXPECT_NEAR(to_ms(time_together(machine, sweep, best->arrangement).value()), 10.0 / 0.9, 1e-6);
}

// The kernels take 12 and 10 ms alone and run at 0.5 and 0.8 of their speeds. In 12.5 ms together the first does 6.25
// of its 12 ms; with 5.75 ms more alone they take 18.25 ms instead of 22. At half of its speed the rest takes 11.5 ms,
// so they take 24.
TEST(PairSweep, ExpectedGainEndsWithWhoIsLeft) {
  const std::array alone = {nanoseconds_from_ms(12), nanoseconds_from_ms(10)};
  EXPECT_NEAR(expected_gain(alone, {0.5, 0.8}), 22.0 / 18.25 - 1.0, 1e-12);
  EXPECT_NEAR(expected_gain(alone, {0.5, 0.8}, {0.5, 0.8}), 22.0 / 24.0 - 1.0, 1e-12);
  EXPECT_NEAR(expected_gain({alone[1], alone[0]}, {0.8, 0.5}), 22.0 / 18.25 - 1.0, 1e-12);
}

// Either both slow each other down to nothing, or one of them does so to the other, which then still has its whole time
// to run.
TEST(PairSweep, ExpectedGainOfWhoNeverRunsTogetherIsNone) {
  const std::array alone = {nanoseconds_from_ms(12), nanoseconds_from_ms(10)};
  EXPECT_EQ(expected_gain(alone, {0.0, 0.0}), 0.0);
  EXPECT_NEAR(expected_gain(alone, {0.0, 1.0}), 0.0, 1e-12);
}

class NoPersistence : public TinyMachine {
 public:
  NoPersistence() {
    add(tiny_kernel("a"));
    add(tiny_kernel("b"));
  }
  Result<LaunchId> launch(const Launch& launch) override {
    if (launch.form != Form::persistent) return TinyMachine::launch(launch);
    ++refused;
    return Error(ErrorCode::unavailable, "no such form");
  }

  std::size_t refused = 0;
};

// A row that the machine cannot run leaves the others unchanged. A kernel that fails alone ends the sweep.
TEST(PairSweep, SaysWhichRowFailed) {
  NoPersistence machine;
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 1}).value();
  EXPECT_EQ(sweep.best(is_share), nullptr);
  EXPECT_THAT(rows_of(sweep, Way::shares).front().failure->to_string(), HasSubstr("no such form"));
  EXPECT_NE(sweep.best(is_baseline), nullptr);
  machine.fail_when_half_done.emplace(1, Error(ErrorCode::launch_failed, "it trapped"));
  EXPECT_THAT(sweep_pair(machine, 0, 1).error().to_string(), HasSubstr("b: it trapped"));
}

TEST(PairSweep, ARowThatFailsUnmeasuredRunsNoMore) {
  NoPersistence once;
  ASSERT_TRUE(sweep_pair(once, 0, 1, {.rounds = 1}));
  NoPersistence often;
  ASSERT_TRUE(sweep_pair(often, 0, 1, {.rounds = 4}));
  EXPECT_GT(once.refused, 0U);
  EXPECT_EQ(often.refused, once.refused);
}

// A machine on which the first launch in a stream takes a millisecond of the host's time.
class MachineThatMakesStreams : public TinyMachine {
 public:
  MachineThatMakesStreams() {
    for (const char* const name : {"a", "b"}) {
      KernelTraits kernel = tiny_kernel(name);
      kernel.profile.blocks_alone = 8;
      add(kernel);
    }
    set_rates(0, 1, 0.9, 0.9);
  }

  Result<LaunchId> launch(const Launch& launch) override {
    const auto is_same = [&](const Launch& other) {
      return other.lane == launch.lane && other.priority == launch.priority && other.per_sm == launch.per_sm;
    };
    if (std::ranges::none_of(launches, is_same)) static_cast<void>(wait(now() + nanoseconds_from_ms(1)));
    return TinyMachine::launch(launch);
  }
};

// In the first run of a share the second kernel begins a millisecond late, and both take 12 ms instead of 10 / 0.9.
TEST(PairSweep, NoCountedRunMakesItsStreams) {
  MachineThatMakesStreams machine;
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 2}).value();
  const std::vector<SweepRow> shares = rows_of(sweep, Way::shares);
  ASSERT_FALSE(shares.empty());
  for (const SweepRow& row : shares)
    for (const Nanoseconds makespan : row.makespans) EXPECT_NEAR(to_ms(makespan), 10.0 / 0.9, 1e-6);
}

// The first run of each share is unmeasured. Rounds forwards and backwards would have two orders.
TEST(PairSweep, RoundsHaveDrawnOrders) {
  MachineThatMakesStreams machine;
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 5}).value();
  const std::size_t shares = rows_of(sweep, Way::shares).size();
  std::vector<unsigned> ratios;  // in the order in which they ran
  for (const Launch& launch : machine.launches)
    if (launch.form == Form::persistent && launch.kernel == 0) ratios.push_back(launch.per_sm);
  ASSERT_EQ(ratios.size(), 6 * shares);
  std::set<std::vector<unsigned>> orders;
  for (std::size_t round = 1; round <= 5; ++round) {
    const auto begin = ratios.begin() + static_cast<std::ptrdiff_t>(round * shares);
    const std::vector<unsigned> order(begin, begin + static_cast<std::ptrdiff_t>(shares));
    EXPECT_EQ(std::set<unsigned>(order.begin(), order.end()).size(), shares);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 2U);
}

TEST(PairSweep, ProgressCountsTheUnmeasuredRuns) {
  MachineThatMakesStreams machine;
  std::size_t calls = 0;
  std::size_t announced = 0;
  const auto count = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, calls++);
    announced = all;
    return true;
  };
  ASSERT_TRUE(sweep_pair(machine, 0, 1, {.rounds = 2, .on_progress = count}));
  EXPECT_EQ(calls, announced);
}

TEST(PairSweep, EndsWhenItsUserSaysSo) {
  TinyMachine machine;
  machine.add(tiny_kernel("a"));
  machine.add(tiny_kernel("b"));
  const auto ended = sweep_pair(machine, 0, 1, {.on_progress = [](std::size_t done, std::size_t) { return done < 3; }});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), ErrorCode::cancelled);
}

TEST(PairSweep, KernelsWithoutATwinShareInSlices) {
  TinyMachine machine;
  KernelTraits sliced = tiny_kernel("sliced");
  sliced.persistent = false;
  machine.add(sliced);
  KernelTraits whole = sliced;
  whole.sliceable = false;
  machine.add(whole);
  machine.add(tiny_kernel("persistent"));
  EXPECT_FALSE(ratios_of(machine, 0, 2).value().empty());
  EXPECT_TRUE(ratios_of(machine, 1, 2).value().empty());
  ASSERT_TRUE(sweep_pair(machine, 0, 2, {.rounds = 1}));
  EXPECT_TRUE(std::ranges::any_of(machine.launches, [](const Launch& launch) { return launch.form == Form::slices; }));
  EXPECT_THAT(ratios_of(machine, 0, 9).error().to_string(), HasSubstr("the machine has no kernel of this number: `9`"));
}

// Each block takes more than half of an SM's shared memory. So there is no ratio, and all rows are of whole kernels.
TEST(PairSweep, KernelsThatCannotShareAnSmAreComparedWithoutShares) {
  TinyMachine machine;
  for (const char* const name : {"a", "b"}) {
    KernelTraits kernel = tiny_kernel(name);
    kernel.block.dynamic_shared_bytes = 130 * 1024;
    kernel.profile.blocks_alone = 1;
    machine.add(kernel);
  }
  EXPECT_TRUE(ratios_of(machine, 0, 1).value().empty());
  const PairSweep sweep = sweep_pair(machine, 0, 1, {.rounds = 1}).value();
  EXPECT_EQ(sweep.best(is_share), nullptr);
  ASSERT_NE(sweep.best(is_baseline), nullptr);
  EXPECT_NEAR(sweep.best(is_baseline)->gain, 0.0, 1e-9);
}

// Half of the resident blocks are not enough for a kernel that waits for memory, but for one that computes they are.
TEST(Profile, SaysWhatAKernelLosesWithFewerBlocksAndSms) {
  SimulatedMachine machine(part_of_h100());
  add_probes(machine, 8);
  const KernelTraits fma = profile(machine, 0, {.rounds = 1}).value();
  ASSERT_EQ(fma.rate_at_residency.size(), 8U);
  EXPECT_GT(fma.rate_at_residency[1], 0.9);  // "full speed alone with two resident blocks" (H100)
  EXPECT_EQ(fma.rate_at_residency[7], 1.0);
  EXPECT_EQ(fma.saturating_share, 1.0);
  ASSERT_GE(fma.speed_on_sms.size(), 2U);  // half of the SMs, then all
  EXPECT_LT(fma.speed_on_sms.front().speed, 0.98);
  EXPECT_EQ(fma.speed_on_sms.back(), (SpeedOnSms{part_of_h100().sms, 1.0}));
  EXPECT_EQ(fma.alone, machine.kernel(0)->alone);
}

// After eight waves of different blocks, half a wave is idle at the end unless another launch follows.
TEST(Profile, SaysWhatLaunchesGainThatFillEachOthersEnds) {
  SimulatedMachine machine(part_of_h100());
  simulate::SimulatedKernel kernel = simulate::fma_probe();
  kernel.variation = 0.3;
  const simulate::GpuModel gpu = part_of_h100();
  const auto scaled = equally_long(gpu, {kernel}, nanoseconds_from_ms(1), 8).value();
  const KernelId id = machine.add(scaled.front()).value();
  EXPECT_GT(machine.kernel(id)->overlapped_speed, 1.02);
  EXPECT_LT(machine.kernel(id)->overlapped_speed, 1.15);
}

// Fetching a block takes a millisecond, and a block runs for half of one.
TEST(Profile, ATwinThatCostsTooMuchCountsAsNone) {
  SimulatedMachine machine(part_of_h100(), {.fetch = nanoseconds_from_ms(1)});
  add_probes(machine, 8);
  const KernelTraits fma = profile(machine, 0, {.rounds = 1}).value();
  EXPECT_FALSE(fma.persistent);
  EXPECT_TRUE(fma.rate_at_residency.empty());
}

// On an H200 four SMs remain, too few for a range.
TEST(Machine, BothPartsOfASplitHaveAGrainAtLeast) {
  const std::vector<unsigned> splits =
      splits_of({.capability = model::ComputeCapability{9, 0}, .sms = 132, .split_grain = 8});
  ASSERT_EQ(splits.size(), 15U);
  EXPECT_EQ(splits.front(), 8U);
  EXPECT_EQ(splits.back(), 120U);
  EXPECT_TRUE(splits_of({.capability = model::ComputeCapability{9, 0}, .sms = 132, .split_grain = 132}).empty());
}

// Slices cost the tiny machine nothing, so one block on each SM is enough.
TEST(Profile, FindsTheLeastSliceThatIsWorthALaunch) {
  TinyMachine machine;
  machine.add(tiny_kernel("a"));
  const KernelTraits traits = profile(machine, 0).value();
  EXPECT_EQ(traits.least_slice, 1U);
  EXPECT_EQ(traits.saturating_share, 1.0);  // the machine has no ranges
  EXPECT_TRUE(traits.speed_on_sms.empty());
  EXPECT_THAT(profile(machine, 1).error().to_string(), HasSubstr("the machine has no kernel of this number: `1`"));
}

TEST(MeasuredForecaster, SplitsTheSmsWhereThatIsFaster) {
  TinyMachine machine(4);
  for (KernelTraits kernel : {tiny_kernel("a"), tiny_kernel("b")}) {
    kernel.profile.blocks_alone = 8;  // as many as an SM holds of both
    machine.add(kernel);
  }
  machine.set_rates(0, 1, 0.6, 0.6);
  machine.set_split_rates(0, 1, 0.8, 0.7);
  const auto measured = [&](Form form) {
    return measured_forecaster(machine, form)(*machine.kernel(0), *machine.kernel(1)).value();
  };
  const PairForecast split = measured(Form::persistent);
  EXPECT_EQ(split.sms_of_first, 1U);  // the first of equal ones
  EXPECT_EQ(split.ratio.first, 0U);
  EXPECT_NEAR(split.speedup(), 1.5, 0.05);
  EXPECT_FALSE(measured(Form::slices).sms_of_first);
  machine.set_split_rates(0, 1, 0.5, 0.6);
  EXPECT_FALSE(measured(Form::persistent).sms_of_first);
}

// At each split the first kernel is the faster one, so whole kernels run only at the split with the fewest SMs for it.
TEST(MeasuredForecaster, RunsShortKernelsThemselvesOnSmsOfTheirOwn) {
  TinyMachine machine(8);
  for (const char* name : {"a", "b"}) machine.add(tiny_kernel(name, 40));
  machine.set_rates(0, 1, 0.6, 0.6);
  machine.set_split_rates(0, 1, 0.8, 0.7);
  const PairForecast best =
      measured_forecaster(machine, Form::persistent)(*machine.kernel(0), *machine.kernel(1)).value();
  std::vector<PairForecast> ways = best.others;
  ways.push_back(best);
  const auto is_whole_split = [](const PairForecast& way) { return way.whole && way.sms_of_first; };
  EXPECT_EQ(std::ranges::count_if(ways, is_whole_split), 1);
  for (const PairForecast& way : ways)
    if (is_whole_split(way)) {
      EXPECT_EQ(way.sms_of_first, 1U);
      EXPECT_EQ(way.measured, 1U);
      EXPECT_NEAR(way.speedup(), 1.5, 0.1);
    }
}

// PC waits for memory and needs only one of six blocks on an SM for that; TEA computes.
TEST(MeasuredForecaster, RunsAPairAtEachRatio) {
  const auto& all = simulate::kernelet_kernels();
  SimulatedMachine machine(simulate::with_sms(*simulate::find_gpu_model("C2050"), 2));
  for (simulate::SimulatedKernel kernel : {all.front().kernel, all.back().kernel}) {
    kernel.blocks = kernel.name == "PC" ? 48 : 640;
    ASSERT_TRUE(machine.add(kernel));
  }
  const Forecaster measure = measured_forecaster(machine, Form::persistent);
  const PairForecast pair = measure(*machine.kernel(0), *machine.kernel(1)).value();
  EXPECT_GT(pair.speedup(), 1.55);
  EXPECT_LT(pair.ratio.first, pair.ratio.second);
  KernelTraits unknown = *machine.kernel(0);
  unknown.name = "unknown";
  EXPECT_THAT(measure(unknown, unknown).error().to_string(), HasSubstr("the machine has no kernel of this name"));
}

// Two grids of 4 ms each would take 32 ms at a quarter of the speed, and take 16 at half of it.
TEST(Pilots, RunUntilGridsOfBothHaveEndedUnlessThatTakesTooLong) {
  for (const auto& [rate, time] : {std::pair{0.5, 16.0}, {0.25, 20.0}}) {
    TinyMachine machine;
    for (KernelTraits kernel : {tiny_kernel("a", 10), tiny_kernel("b", 40)}) {
      kernel.profile.blocks_alone = 8;  // as many as an SM holds of both
      machine.add(kernel);
    }
    machine.set_rates(0, 1, 0.5, rate);
    ASSERT_TRUE(measured_forecaster(machine, Form::persistent)(*machine.kernel(0), *machine.kernel(1)));
    const auto ratios = ratios_of(machine, 0, 1).value().size();
    EXPECT_NEAR(to_ms(machine.now()) / static_cast<double>(ratios), time, 0.5);
  }
}

}  // namespace
}  // namespace wattune::schedule
