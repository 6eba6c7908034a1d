// Tests how `paired` finds the best way of two kernels of which it has only forecasts: by works, on machines whose
// speeds were recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "schedule/recorded_sweeps.h"
#include "schedule/scheduler_fixture.h"
#include "schedule/session/pair_plan.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {
namespace {

constexpr unsigned kSms = 132;
constexpr unsigned kRoom = 32;  // blocks of either kernel that fill an SM, more than any ratio has

// A machine on which two kernels have the speeds of a recorded sweep. A kernel that is left alone on SMs of its own
// keeps its speed there.
class RecordedMachine : public TinyMachine {
 public:
  explicit RecordedMachine(const RecordedPair& pair) : TinyMachine(kSms, 8), pair_(pair) {
    for (std::size_t i = 0; i < 2; ++i) {
      KernelTraits kernel = tiny_kernel(pair.names[i], 10 * kRoom * kSms);
      kernel.alone = nanoseconds_from_ms(pair.alone_ms[i]);
      kernel.profile.blocks_alone = kRoom;
      add(kernel);
    }
  }

 protected:
  double speed(const Launch& launch, const Launch* beside) const override {
    if (launch.sms.count > 0) {
      const unsigned first = launch.kernel == 0 ? launch.sms.count : kSms - launch.sms.count;
      const auto split = std::ranges::find(pair_.splits, first, &RecordedSplit::sms_of_first);
      return split->rates[launch.kernel];
    }
    if (beside == nullptr) return 1.0;
    std::array<unsigned, 2> blocks = {launch.per_sm, beside->per_sm};
    if (launch.kernel == 1) std::swap(blocks[0], blocks[1]);
    const auto ratio = std::ranges::find(pair_.ratios, blocks, &RecordedRatio::blocks);
    return ratio == pair_.ratios.end() ? 0.5 : ratio->rates[launch.kernel];
  }

 private:
  const RecordedPair& pair_;
};

// A class by timing: the share of the SMs, or of the blocks, with which a kernel is believed to be as fast as with all.
using Class = std::array<double, 2>;
constexpr double kNeedsAll = 1.0;
constexpr double kSaturates = 0.3;
constexpr std::array<Class, 4> kClasses = {
    {{kNeedsAll, kNeedsAll}, {kNeedsAll, kSaturates}, {kSaturates, kNeedsAll}, {kSaturates, kSaturates}}};

std::array<double, 2> believed(double share_of_first, const Class& classes) {
  return {std::min(1.0, share_of_first / classes[0]), std::min(1.0, (1.0 - share_of_first) / classes[1])};
}

PairForecast believed_ways(const RecordedPair& pair, const Class& classes) {
  std::vector<PairForecast> ways;
  for (const RecordedSplit& split : pair.splits)
    ways.push_back({.sms_of_first = split.sms_of_first,
                    .whole = true,
                    .rates = believed(static_cast<double>(split.sms_of_first) / kSms, classes)});
  for (const RecordedRatio& ratio : pair.ratios) {
    const auto [first, second] = ratio.blocks;
    ways.push_back(
        {.ratio = {first, second}, .rates = believed(static_cast<double>(first) / (first + second), classes)});
  }
  return best_of({}, std::move(ways));
}

// Returns the works of so many rounds, both kernels in turns.
std::vector<Work> rounds_of(const RecordedPair& pair, std::size_t rounds) {
  std::vector<Work> works;
  for (std::size_t round = 0; round < rounds; ++round)
    for (unsigned i = 0; i < std::max(pair.works[0], pair.works[1]); ++i)
      for (std::size_t kernel = 0; kernel < 2; ++kernel)
        if (i < pair.works[kernel]) works.push_back({.kernel = kernel});
  return works;
}

// Returns the time of a round in the best way of whole kernels: at a split until one has no more works, or in turn.
double best_round_ms(const RecordedPair& pair) {
  const std::array<double, 2> alone = {pair.works[0] * pair.alone_ms[0], pair.works[1] * pair.alone_ms[1]};
  double best = alone[0] + alone[1];
  for (const RecordedSplit& split : pair.splits)
    best = std::min(best, std::max(alone[0] / split.rates[0], alone[1] / split.rates[1]));
  return best;
}

class RecordedPairs : public ::testing::TestWithParam<std::size_t> {
 protected:
  const RecordedPair& pair() const { return recorded_pairs()[GetParam()]; }
};

// The forecasts take each kernel for one that needs all SMs and for one that few SMs saturate, so most are wrong. The
// first 100 rounds pay for the trials. The next 100 are no more than 1 % behind the best way of whole kernels.
TEST_P(RecordedPairs, AreNeverMuchBehindTheBestBaselineWhateverIsBelieved) {
  constexpr std::size_t kRounds = 100;
  for (const Class& classes : kClasses) {
    RecordedMachine machine(pair());
    Scheduler scheduler(machine, policy_named("paired"));
    scheduler.learn(0, 1, believed_ways(pair(), classes));
    for (const double behind : {1.05, 1.01}) {
      const Nanoseconds begin = machine.now();
      ASSERT_TRUE(scheduler.submit(rounds_of(pair(), kRounds)));
      run_to_end(scheduler, machine);
      const double time = to_ms(machine.now() - begin) / kRounds;
      EXPECT_LE(time, behind * best_round_ms(pair())) << "believed " << classes[0] << ", " << classes[1];
    }
  }
}

// The plan knows the rows of the sweep, and keeps whole kernels going on their SMs without a pause.
TEST_P(RecordedPairs, RunAsFastUnderThePlanAsInTheSweep) {
  constexpr std::size_t kRounds = 20;
  RecordedMachine machine(pair());
  PairSweep sweep{.kernels = {0, 1}, .repetitions = {kRounds * pair().works[0], kRounds * pair().works[1]}, .rows = {}};
  for (std::size_t i = 0; i < 2; ++i)
    sweep.alone[i] = static_cast<double>(sweep.repetitions[i]) * *machine.kernel(i)->alone;
  Nanoseconds best = sweep.alone[0] + sweep.alone[1];
  for (const RecordedSplit& split : pair().splits) {
    SweepRow row{.arrangement = {.way = Way::split, .sms_of_first = split.sms_of_first}};
    row.makespan = time_together(machine, sweep, row.arrangement).value();
    row.times = {sweep.alone[0] / split.rates[0], sweep.alone[1] / split.rates[1]};
    best = std::min(best, row.makespan);
    sweep.rows.push_back(row);
  }
  auto plan = PairPlan::make(machine, sweep);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_LE(plan->run().value(), 1.01 * best);
}

INSTANTIATE_TEST_SUITE_P(H200, RecordedPairs, ::testing::Range<std::size_t>(0, recorded_pairs().size()),
                         [](const auto& each) {
                           const RecordedPair& pair = recorded_pairs()[each.param];
                           return std::string(pair.names[0]) + "_" + pair.names[1];
                         });

// One kernel has neither twin nor slices. On SMs of their own the two gain 50 %, each at 0.75 of its speed.
TEST(WayChoice, KernelsWithoutTwinsShareTheGpuWhole) {
  TinyMachine machine(8);
  for (const char* name : {"twinless", "other"}) {
    KernelTraits kernel = tiny_kernel(name, 40);
    kernel.persistent = kernel.sliceable = std::string(name) == "other";
    machine.add(kernel);
  }
  machine.set_split_rates(0, 1, 0.75, 0.75);
  const PairForecast best =
      measured_forecaster(machine, Form::persistent)(*machine.kernel(0), *machine.kernel(1)).value();
  EXPECT_TRUE(best.whole);
  Scheduler scheduler(machine, policy_named("paired"));
  scheduler.learn(0, 1, best);
  std::vector<Work> works;
  for (std::size_t i = 0; i < 40; ++i) works.push_back({.kernel = i % 2});
  ASSERT_TRUE(scheduler.submit(works));
  const Nanoseconds begin = machine.now();
  run_to_end(scheduler, machine);
  // 20 works of 4 ms each.
  EXPECT_LE(to_ms(machine.now() - begin), 1.01 * 20 * 4.0 / 0.75);
}

// Slices run on alone when the kernel that stays has been stopped. Two of them at a time have 0.3 of the speed beside
// it, and 2 alone.
TEST(Pilots, OfSlicesCountWhatRanBesideTheOther) {
  TinyMachine machine;
  KernelTraits sliced = tiny_kernel("sliced");
  sliced.persistent = false;
  machine.add(tiny_kernel("stays"));
  machine.add(sliced);
  machine.set_rates(0, 1, 0.9, 0.15);
  const PairForecast pilot =
      measured_forecaster(machine, Form::persistent)(*machine.kernel(0), *machine.kernel(1)).value();
  std::vector<PairForecast> ways = pilot.others;
  ways.push_back(pilot);
  for (const PairForecast& way : ways) EXPECT_NEAR(way.rates[1], 0.3, 0.05 * 0.3) << way.ratio.first;
}

}  // namespace
}  // namespace wattune::schedule
