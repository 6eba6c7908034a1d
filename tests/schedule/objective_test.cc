#include "wattune/schedule/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schedule/interface/policy.h"
#include "schedule/interface/power_profile.h"
#include "schedule/tiny_machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

KernelTraits drawing(const char* name, double watts) {
  KernelTraits kernel = tiny_kernel(name);
  kernel.power = {.alone = Watts(watts), .idle = Watts(105)};
  return kernel;
}

// Returns the forecast of FMA with random reads as measured on an H100 (hopper_facts). Alone they draw 319 and 431 W.
// At 3:5 they take 20.4 ms together instead of 39.9, which is 0.978 of the speed of each.
PairForecast measured_on_an_h100() {
  return {.ratio = {3, 5}, .rates = {0.978, 0.978}, .watts = watts_of(drawing("C", 319), drawing("L", 431))};
}

// The forecast is 105 + 0.978 * (214 + 326) = 633 W, against 606 to 639 measured. The gain is 0.978 * 750 / 633 =
// 1.159, against 1.162 measured.
TEST(Objective, WhatEachAddsToTheIdlePowerShrinksWithItsSpeed) {
  EXPECT_NEAR(measured_on_an_h100().power().value(), 633.1, 0.1);
  EXPECT_NEAR(measured_on_an_h100().energy_gain(), 1.1586, 1e-3);
}

// The saving is the energy of idling: 105 W in each of the 0.956 s by which 1.956 s alone exceed 1 s.
TEST(Objective, JoulesSavedAreThoseOfIdlingInTheTimeThatIsSaved) {
  const PairForecast pair = measured_on_an_h100();
  EXPECT_NEAR((pair.watts_in_turn() - pair.power()).value(), 105.0 * 0.956, 1e-9);
}

// One second of each kernel takes 750 J one after the other, and at least 645 J together. Idling at 105 W can be saved
// in one of the two seconds.
TEST(Objective, TheCeilingIsWhatIdlingCosts) {
  PairForecast pair = measured_on_an_h100();
  EXPECT_NEAR(pair.most_energy_gain(), 750.0 / 645.0, 1e-9);
  pair.rates = {1.0, 1.0};
  EXPECT_DOUBLE_EQ(pair.energy_gain(), pair.most_energy_gain());
}

TEST(Objective, MeritIsOfWhatIsAskedFor) {
  const PairForecast pair = measured_on_an_h100();
  EXPECT_DOUBLE_EQ(merit({}, pair).value(), 1.956);
  EXPECT_DOUBLE_EQ(merit({.goal = Goal::energy}, pair).value(), pair.energy_gain());
  EXPECT_DOUBLE_EQ(merit({.goal = Goal::energy_delay}, pair).value(), 1.956 * pair.energy_gain());
}

// A speed of 0.978 takes 2.2 % more time.
TEST(Objective, NoKernelMayBeSlowedDownBeyondTheCap) {
  const PairForecast pair = measured_on_an_h100();
  EXPECT_TRUE(merit({.most_slowdown = 0.023}, pair));
  EXPECT_FALSE(merit({.most_slowdown = 0.022}, pair));
}

TEST(Objective, NoPairMayDrawMoreThanTheCap) {
  EXPECT_TRUE(merit({.power_cap = Watts(634)}, measured_on_an_h100()));
  EXPECT_FALSE(merit({.power_cap = Watts(633)}, measured_on_an_h100()));
}

TEST(Objective, WithoutKnownPowerNothingHasMeritByIt) {
  const PairForecast pair{.ratio = {3, 5}, .rates = {0.9, 0.9}};
  EXPECT_TRUE(merit({}, pair));
  EXPECT_FALSE(merit({.goal = Goal::energy}, pair));
  EXPECT_FALSE(merit({.power_cap = Watts(1000)}, pair));
  EXPECT_FALSE(watts_of(drawing("a", 200), tiny_kernel("b")));
}

TEST(Objective, ACorrectedSpeedCorrectsThePower) {
  PairTable table(10);
  table.learn(0, 1, measured_on_an_h100());
  table.observe(0, 1, table.find(0, 1)->shape(), 0.5);
  // Halfway from the forecast, 0.978, to what was measured.
  EXPECT_NEAR(table.find(0, 1)->power().value(), 105 + 0.739 * 214 + 0.978 * 326, 1e-9);
  EXPECT_NEAR(table.find(1, 0)->power().value(), table.find(0, 1)->power().value(), 1e-9);
}

TEST(Objective, HasNames) {
  for (const Goal goal : {Goal::throughput, Goal::energy, Goal::energy_delay})
    EXPECT_EQ(find_goal(to_string(goal)).value(), goal);
  EXPECT_THAT(find_goal("power").error().to_string(), HasSubstr("`power` (one of: throughput, energy, edp)"));
  EXPECT_EQ(describe({.goal = Goal::energy, .most_slowdown = 0.1, .power_cap = Watts(300)}),
            "operations per joule, no kernel slower by more than 10 %, at most 300 W");
}

// At 3:1, 2:2 and 1:3 the two have 0.90 + 0.85, 0.80 + 0.90 and 0.70 + 0.95 of their speeds alone.
TEST(Objective, ForecastsTakeTheRatioThatIsBestForIt) {
  KernelTraits greedy = drawing("greedy", 400);
  KernelTraits modest = drawing("modest", 120);
  greedy.rate_at_residency = {0.70, 0.80, 0.90, 1.0};
  modest.rate_at_residency = {0.85, 0.90, 0.95, 1.0};
  for (KernelTraits* kernel : {&greedy, &modest}) {
    kernel->profile.blocks_alone = 4;
    kernel->block = {.threads = 512, .registers = 32};  // four blocks on an SM
  }
  const MachineLimits limits{.capability = model::ComputeCapability{9, 0}, .sms = 1};
  const auto best = [&](const Objective& objective) {
    return residency_forecaster(limits, {}, objective)(greedy, modest).value();
  };
  EXPECT_EQ(best({}).ratio, (model::BlockRatio{3, 1}));
  // The work per joule is 462 / 383 = 1.206 at 3:1, 428 / 354.5 = 1.207 at 2:2 and 394 / 325.75 = 1.210 at 1:3.
  EXPECT_EQ(best({.goal = Goal::energy}).ratio, (model::BlockRatio{1, 3}));
  // They take 11 and 18 % longer at 3:1, 25 and 11 % at 2:2.
  EXPECT_EQ(best({.most_slowdown = 0.19}).ratio, (model::BlockRatio{3, 1}));
  EXPECT_EQ(best({.most_slowdown = 0.10}).ratio, (model::BlockRatio{0, 0}));
  // Two of the ratios draw at most 360 W; 2:2 is the faster one.
  EXPECT_EQ(best({.power_cap = Watts(360)}).ratio, (model::BlockRatio{2, 2}));
}

class ObjectiveOfPaired : public ::testing::Test {
 protected:
  // Sets up a queue in which a with b is fastest, and a with c, which draws little, saves the most joules.
  ObjectiveOfPaired() {
    for (const auto& [name, watts] : {std::pair{"a", 150.0}, {"b", 500.0}, {"c", 120.0}}) {
      kernels_.push_back(drawing(name, watts));
      view_.works.push_back({.work = kernels_.size(), .kernel = kernels_.size() - 1, .traits = &kernels_.back()});
    }
    learn(0, 1, 0.9);
    learn(0, 2, 0.8);
    learn(1, 2, 0.6);
  }
  void learn(KernelId first, KernelId second, double rate) {
    table_.learn(first, second,
                 {.ratio = {2, 6}, .rates = {rate, rate}, .watts = watts_of(kernels_[first], kernels_[second])});
  }
  std::vector<WorkId> planned(const Objective& objective) {
    std::vector<WorkId> works;
    for (const Share& share : find_policy("paired", {.objective = objective}).value()(view_, table_).shares)
      works.push_back(share.work);
    return works;
  }

  std::deque<KernelTraits> kernels_;
  QueueView view_{.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 8}, .now = {}, .works = {}};
  PairTable table_{8};
};

// The work per joule is 0.9 * 650 / (105 + 0.9 * 440) = 1.17 for a with b. It is 0.8 * 270 / (105 + 0.8 * 60) = 1.41
// for a with c.
TEST_F(ObjectiveOfPaired, ChoosesThePair) {
  EXPECT_EQ(planned({}), (std::vector<WorkId>{1, 2}));
  EXPECT_EQ(planned({.goal = Goal::energy}), (std::vector<WorkId>{1, 3}));
}

// a with b would draw 501 W, a with c 153 W.
TEST_F(ObjectiveOfPaired, KeepsThePowerCap) {
  EXPECT_EQ(planned({.power_cap = Watts(400)}), (std::vector<WorkId>{1, 3}));
  EXPECT_EQ(planned({.power_cap = Watts(110)}), (std::vector<WorkId>{1}));
}

TEST_F(ObjectiveOfPaired, RunsAloneWhereEachPairSlowsDownTooMuch) {
  EXPECT_EQ(planned({.most_slowdown = 0.12}), (std::vector<WorkId>{1, 2}));
  EXPECT_EQ(planned({.most_slowdown = 0.05}), (std::vector<WorkId>{1}));
}

// A kernel that runs alone gives way to a better pair.
TEST_F(ObjectiveOfPaired, AnArrivalThatPairsWellInterruptsWhoRunsAlone) {
  view_.works[1].running = Share{.work = 2, .form = Form::persistent, .per_sm = 4};
  EXPECT_EQ(planned({.goal = Goal::energy}), (std::vector<WorkId>{1, 3}));
}

// A kernel at 200 W whose twin is 1.1 times as fast.
class TwinAlone : public ::testing::TestWithParam<Goal> {
 protected:
  Form form_at(std::optional<double> twin_watts, double ms = 1.0) {
    KernelTraits kernel = drawing("a", 200);
    kernel.alone = nanoseconds_from_ms(ms);
    kernel.twin_speed = 1.1;
    if (twin_watts) kernel.power->twin = Watts(*twin_watts);
    const QueueView view{.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 8},
                         .now = {},
                         .works = {{.work = 1, .kernel = 0, .traits = &kernel}}};
    return find_policy("paired", {.objective = {.goal = GetParam()}}).value()(view, PairTable(8)).shares.at(0).form;
  }
};

// The twin does the same work with fewer joules below 220 W, and with fewer joule-seconds below 242 W.
TEST_P(TwinAlone, RunsWhereItIsBetterForTheObjective) {
  EXPECT_EQ(form_at(215), Form::persistent);
  EXPECT_EQ(form_at(225), GetParam() == Goal::energy ? Form::whole : Form::persistent);
  EXPECT_EQ(form_at(245), GetParam() == Goal::throughput ? Form::persistent : Form::whole);
  EXPECT_EQ(form_at(std::nullopt), GetParam() == Goal::throughput ? Form::persistent : Form::whole);
}

// Arrivals wait at most 10 ms for a kernel whose twin costs more.
TEST_P(TwinAlone, GivesWayWhereTheKernelTakesTooLong) {
  EXPECT_EQ(form_at(225, 8.0), GetParam() == Goal::energy ? Form::whole : Form::persistent);
  EXPECT_EQ(form_at(225, 12.0), Form::persistent);
  EXPECT_EQ(form_at(std::nullopt, 8.0), Form::persistent);
}

INSTANTIATE_TEST_SUITE_P(Each, TwinAlone, testing::Values(Goal::throughput, Goal::energy, Goal::energy_delay),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// One after the other, the kernel counts in its most frugal form: 210 W / 1.1 of its time alone.
TEST(TwinPower, CountsAloneWhereItIsMoreFrugal) {
  KernelTraits kernel = drawing("a", 200);
  kernel.twin_speed = 1.1;
  kernel.power->twin = Watts(210);
  const KernelTraits other = drawing("b", 150);
  EXPECT_NEAR(watts_of(kernel, other)->alone[0].value(), 210 / 1.1, 1e-9);
  EXPECT_NEAR(watts_of(kernel, other)->added[0].value(), 95.0, 1e-9);
  kernel.power->twin = Watts(230);
  EXPECT_EQ(watts_of(other, kernel)->alone[1], Watts(200));
}

// A machine that draws 40 W idle and 100 W with a kernel. It counts what is launched, not what forecasts say.
class CountingMachine : public TinyMachine {
 public:
  std::optional<Joules> energy() const override { return Watts(40) * now() + Watts(60) * (now() - idle_); }
  std::vector<Ended> wait(Nanoseconds until) override {
    const Nanoseconds before = now();
    const std::size_t launched = launches.size();
    auto ended = TinyMachine::wait(until);
    if (launched == 0) idle_ += now() - before;
    return ended;
  }

 private:
  Nanoseconds idle_;
};

TEST(PowerProfile, TellsIdlingFromWorking) {
  CountingMachine machine;
  machine.add(tiny_kernel("a"));
  const auto powers = profile_power(machine, nanoseconds_from_ms(100));
  ASSERT_TRUE(powers) << powers.error().to_string();
  EXPECT_NEAR((*powers)[0].idle.value(), 40.0, 1e-6);
  EXPECT_NEAR((*powers)[0].alone.value(), 100.0, 1e-6);
}

// A machine whose counter changes every 100 ms, first 40 ms after the run began: 700 ms at 300 W lie between changes.
class RenewedNowAndThen : public TinyMachine {
 public:
  std::optional<Joules> energy() const override {
    return Watts(300) * nanoseconds_from_ms(100.0 * std::floor((to_ms(now()) + 60.0) / 100.0));
  }
};

TEST(PowerProfile, CountsFromChangeToChangeOfTheCounter) {
  RenewedNowAndThen machine;
  machine.add(tiny_kernel("a"));
  const auto powers = profile_power(machine, nanoseconds_from_ms(770));
  ASSERT_TRUE(powers);
  EXPECT_NEAR((*powers)[0].alone.value(), 300.0, 1e-6);
  EXPECT_NEAR((*powers)[0].idle.value(), 300.0, 3.0);
}

// The kernel takes 10 ms alone: ten runs are not measured and ten are.
TEST(PowerProfile, RunsEachKernelForTheWindowTwice) {
  TinyMachine machine;
  machine.add(tiny_kernel("a"));
  ASSERT_TRUE(profile_power(machine, nanoseconds_from_ms(100)));
  EXPECT_EQ(machine.launches.size(), 20U);
}

// At the speed of the twin it takes 5 ms.
TEST(PowerProfile, RunsAFasterTwinAsWell) {
  TinyMachine machine;
  KernelTraits kernel = tiny_kernel("a");
  kernel.rate_at_residency = {0.5, 1.0};
  kernel.twin_speed = 2.0;
  machine.add(kernel);
  const auto powers = profile_power(machine, nanoseconds_from_ms(100));
  ASSERT_TRUE(powers);
  EXPECT_NEAR(powers->front().twin->value(), 100.0, 1e-6);
  const auto twins = std::ranges::count(machine.launches, Form::persistent, &Launch::form);
  EXPECT_EQ(twins, 40);
  EXPECT_EQ(machine.launches.size(), 60U);
}

TEST(PowerProfile, WhatIsKnownIsNotMeasuredAgain) {
  TinyMachine machine;
  KernelTraits known = tiny_kernel("known");
  known.power = {.alone = Watts(300), .idle = Watts(90)};
  machine.add(known);
  EXPECT_EQ(profile_power(machine, nanoseconds_from_ms(100)).value().front().alone, Watts(300));
  EXPECT_THAT(machine.launches, testing::IsEmpty());
  machine.add(tiny_kernel("a"));
  const auto powers = profile_power(machine, nanoseconds_from_ms(100)).value();
  EXPECT_EQ(powers[0].idle, Watts(90));
  EXPECT_NEAR(powers[1].alone.value(), 100.0, 1e-6);
  for (const Launch& launch : machine.launches) EXPECT_EQ(launch.kernel, 1U);
}

class SilentMachine : public TinyMachine {
 public:
  std::optional<Joules> energy() const override { return std::nullopt; }
};

TEST(PowerProfile, ABoardThatTellsNoEnergyIsRefused) {
  SilentMachine machine;
  machine.add(tiny_kernel("a"));
  const auto refused = profile_power(machine, nanoseconds_from_ms(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("the board reports no energy"));
}

TEST(PowerProfile, AKernelOfUnknownTimeIsRefused) {
  TinyMachine machine;
  KernelTraits unknown = tiny_kernel("a");
  unknown.alone = std::nullopt;
  machine.add(unknown);
  EXPECT_THAT(profile_power(machine, nanoseconds_from_ms(1)).error().to_string(), HasSubstr("unknown: `a`"));
}

}  // namespace
}  // namespace wattune::schedule
