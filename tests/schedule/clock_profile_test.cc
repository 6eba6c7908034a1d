#include "schedule/interface/clock_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "fakes/fake_device.h"
#include "schedule/clock_kernels.h"
#include "schedule/interface/policy.h"
#include "schedule/interface/queue_experiment.h"
#include "simulate/interface/board_clocks.h"
#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/gt640_kernels.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BestClocks, AreThoseOfTheLeastCost) {
  EXPECT_EQ(best_clocks(computing_kernel(), {.goal = Goal::energy}), kFull);
  EXPECT_EQ(best_clocks(waiting_kernel(), {.goal = Goal::energy}), kHalf);
  EXPECT_EQ(best_clocks(waiting_kernel(), {.goal = Goal::energy_delay}), kHalf);
  EXPECT_EQ(best_clocks(waiting_kernel(), {}), kFull);  // equally fast; the higher one wins
}

// At 30 W the energy is 0.6 J in 20 ms at 500 MHz, against 1.0 J in 10 ms: less energy, but more energy times time.
TEST(BestClocks, OfEnergyTimesTimeCountTheTimeTwice) {
  KernelTraits kernel = computing_kernel();
  kernel.at_clocks[0].power.alone = Watts(30);  // 0.6 J in 20 ms
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy}), kHalf);
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy_delay}), kFull);
}

TEST(BestClocks, KeepTheLimits) {
  KernelTraits kernel = computing_kernel();
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy, .power_cap = Watts(80)}), kHalf);
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy, .power_cap = Watts(50)}), std::nullopt);
  kernel.at_clocks[0].power.alone = Watts(30);
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy, .most_slowdown = 0.5}), kFull);
  kernel.at_clocks.pop_back();
  EXPECT_EQ(best_clocks(kernel, {.goal = Goal::energy, .most_slowdown = 0.5}), std::nullopt);
}

// Returns a forecaster of two ways: 0.8 of each beside the other, and 0.4 with 0.9.
Forecaster two_ways() {
  return [](const KernelTraits&, const KernelTraits&) -> Result<PairForecast> {
    return PairForecast{
        .ratio = {4, 4}, .rates = {0.8, 0.8}, .others = {PairForecast{.ratio = {2, 6}, .rates = {0.4, 0.9}}}};
  };
}

PairForecast forecast_at_clocks(const KernelTraits& first, const KernelTraits& second, const Objective& objective,
                                std::optional<Watts> limit = {}) {
  return clocked_forecaster(two_ways(), limit, objective)(first, second).value();
}

// Two kernels that wait draw 60 W each alone at 500 MHz, their best clock. Together they draw 20 W and 0.8 times 40 W
// each there: 84 W, against 96 W one after the other. At 1000 MHz they draw 148 W.
TEST(ClockedForecaster, ALowerClockIsBestWhereItCostsNoTime) {
  const PairForecast best = forecast_at_clocks(waiting_kernel(), waiting_kernel(), {.goal = Goal::energy});
  EXPECT_EQ(best.clocks, kHalf);
  EXPECT_EQ(best.ratio, (model::BlockRatio{4, 4}));
  EXPECT_NEAR(best.power().value(), 84.0, 1e-9);
  EXPECT_NEAR(best.energy_gain(), 96.0 / 84.0, 1e-9);
  EXPECT_EQ(best.others.size(), 3U);  // two ways at two clocks
}

// Speeds are over those alone at the board's own clocks: a kernel that computes has half of its speed at 500 MHz. The
// pair draws 84 W there, for 0.4 times its 100 W at 1000 MHz and 0.8 times the other's 60 W.
TEST(ClockedForecaster, SpeedsAreOverThoseAtTheBoardsOwnClocks) {
  const PairForecast best = forecast_at_clocks(computing_kernel(), waiting_kernel(), {.goal = Goal::energy});
  EXPECT_EQ(best.clocks, kHalf);
  EXPECT_NEAR(best.rates[0], 0.4, 1e-9);
  EXPECT_NEAR(best.rates[1], 0.8, 1e-9);
  EXPECT_NEAR(best.power().value(), 84.0, 1e-9);
  EXPECT_NEAR(best.energy_gain(), 88.0 / 84.0, 1e-9);
}

// A speed of 0.8 is 25 % slower; 0.4, at either clock, is far slower.
TEST(ClockedForecaster, TheSlowdownIsThatOverTheBoardsOwnClocks) {
  const auto within = [](double slowdown) {
    return forecast_at_clocks(computing_kernel(), waiting_kernel(), {.goal = Goal::energy, .most_slowdown = slowdown});
  };
  EXPECT_EQ(within(0.3).clocks, kFull);
  EXPECT_EQ(within(0.3).rates[0], 0.8);
  EXPECT_EQ(within(0.2).speedup(), 0.0);
}

// Returns a kernel whose energy times time is least at 500 MHz: 12 ms and 0.72 J there, 10 ms and 1 J at 1000 MHz.
KernelTraits thrifty_kernel(const std::string& name, double times = 1.0) {
  return clocked_kernel(name, 1.2, kHalf, times);
}

// In one second at 500 MHz both do what takes 0.8 s alone there, for 84 J; one after the other it is 96 J in 1.6 s.
TEST(ClockedForecaster, TimeIsGainedOverEachAtTheBestClocksForIt) {
  const PairForecast pair = forecast_at_clocks(thrifty_kernel("a"), thrifty_kernel("b"), {.goal = Goal::energy_delay});
  EXPECT_EQ(pair.clocks, kHalf);
  EXPECT_NEAR(pair.speedup(), 1.6 / 1.2, 1e-9);
  EXPECT_NEAR(pair.time_gain(), 1.6, 1e-9);
  EXPECT_NEAR(merit({.goal = Goal::energy_delay}, pair).value(), 1.6 * 96.0 / 84.0, 1e-9);
}

// 148 W at 1000 MHz exceed the board's limit, under which it would run at 500 MHz anyway.
TEST(ClockedForecaster, ClocksThatTheBoardCannotHoldAreLeftOut) {
  const PairForecast best = forecast_at_clocks(waiting_kernel(), waiting_kernel(), {}, Watts(100));
  EXPECT_EQ(best.clocks, kHalf);
  for (const PairForecast& other : best.others) EXPECT_EQ(other.clocks, kHalf);
}

// Tests which clocks `paired` and `greedy` choose, with a kernel that computes and one that waits, whose pair never
// gains.
class ChoiceOfClocks : public ::testing::TestWithParam<const char*> {
 protected:
  Plan plan(const Objective& objective = {.goal = Goal::energy}) {
    return find_policy(GetParam(), {.objective = objective}).value()(view_, PairTable(8));
  }
  void add(const KernelTraits& kernel, bool runs = false) {
    kernels_.push_back(kernel);
    view_.works.push_back({.work = kernels_.size(), .kernel = kernels_.size() - 1, .traits = &kernels_.back()});
    if (runs) view_.works.back().running = Share{.work = kernels_.size(), .form = Form::persistent, .per_sm = 4};
  }

  std::deque<KernelTraits> kernels_;
  QueueView view_{.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 8},
                  .now = {},
                  .clocks = {.can_set = true},
                  .works = {}};
};

TEST_P(ChoiceOfClocks, AKernelThatWaitsIsClockedLower) {
  add(waiting_kernel());
  EXPECT_EQ(plan().clocks, kHalf);
}

// Both end long before other clocks may be set. They take 1.0 + 1.0 J at 1000 MHz, and 1.2 + 0.6 J at 500.
TEST_P(ChoiceOfClocks, ShortOnesShareThoseThatSuitAll) {
  add(computing_kernel());
  add(waiting_kernel());
  EXPECT_EQ(plan().clocks, kHalf);
  EXPECT_EQ(plan({.goal = Goal::energy, .most_slowdown = 0.1}).clocks, kFull);
}

// Time times energy is 10 ms J at 1000 MHz and 24 at 500 for the one that computes, and 10 and 6 for each of the three
// that wait. By the roots of 10 and three times 6, the works count as 3.2 and 7.3: 15.4 at 1000 MHz and 14.9 at 500.
// With joules as weights, 1.0 and 1.8, it would be 4.0 and 4.2.
TEST_P(ChoiceOfClocks, WorksCountByTheObjective) {
  add(computing_kernel());
  add(waiting_kernel(3));
  EXPECT_EQ(plan({.goal = Goal::energy_delay}).clocks, kHalf);
}

// Each kernel takes 2 s, so it has its best clocks while they must be held. For the waiting one the highest are as good
// as any.
TEST_P(ChoiceOfClocks, LongOnesHaveTheirOwn) {
  add(waiting_kernel(200));
  add(computing_kernel(200));
  const Plan first = plan({.goal = Goal::energy, .most_slowdown = 0.1});
  EXPECT_EQ(first.clocks, kFull);
  ASSERT_EQ(first.shares.size(), 1U);
  EXPECT_EQ(first.shares[0].work, 2U);
}

TEST_P(ChoiceOfClocks, WhatRunsGoesOnAtClocksThatSuitIt) {
  add(computing_kernel(200), true);
  add(waiting_kernel(200));
  view_.clocks.held = kFull;
  EXPECT_EQ(plan().clocks.value_or(kFull), kFull);
  view_.works[0].running.reset();
  view_.works[1].running = Share{.work = 2, .form = Form::persistent, .per_sm = 4};
  view_.clocks.held = kHalf;
  EXPECT_EQ(plan().clocks.value_or(kHalf), kHalf);
}

TEST_P(ChoiceOfClocks, OnesThatMustBeHeldAre) {
  add(waiting_kernel(200));
  view_.clocks = {.can_set = true, .may_change = false, .held = kFull};
  EXPECT_EQ(plan().clocks, kFull);
  view_.clocks.may_change = true;
  EXPECT_EQ(plan().clocks, kHalf);
}

// At 0.55 of their speed both gain 10 % at 500 MHz, where 66 J become 64. One after the other at 1000 MHz would be 9 %
// faster, but with more joules and beyond the cap.
TEST_P(ChoiceOfClocks, APairGainsOverEachAtTheBestClocksForIt) {
  add(thrifty_kernel("a", 200));
  add(thrifty_kernel("b", 200));
  const Forecaster slow = [](const KernelTraits&, const KernelTraits&) -> Result<PairForecast> {
    return PairForecast{.ratio = {2, 2}, .rates = {0.55, 0.55}};
  };
  for (const Objective& objective : {Objective{.goal = Goal::energy_delay}, Objective{.power_cap = Watts(65)}}) {
    PairTable table(8, PairTable::kDefaultWeight, objective);
    table.learn(0, 1, clocked_forecaster(slow, {}, objective)(kernels_[0], kernels_[1]).value());
    const Plan plan = find_policy(GetParam(), {.objective = objective}).value()(view_, table);
    EXPECT_EQ(plan.shares.size(), 2U) << describe(objective);
    EXPECT_EQ(plan.clocks, kHalf) << describe(objective);
  }
}

INSTANTIATE_TEST_SUITE_P(Those, ChoiceOfClocks, ::testing::Values("paired", "greedy"));

// A control of a simulated GT 640's clocks that counts the calls and can fail.
class CountedClocks final : public backend::ClockControl {
 public:
  explicit CountedClocks(simulate::SimulatedBoard& board) : clocks_(board) {}

  const std::string& board() const override { return clocks_.board(); }
  Result<backend::BoardChoices> choices() override { return clocks_.choices(); }
  Result<backend::BoardSetting> current() override { return clocks_.current(); }
  Result<void> restore() override { return ++restored, clocks_.restore(); }
  Result<void> set(const backend::BoardSetting& setting) override {
    if (refused && setting.graphics == *refused) return Error(ErrorCode::unavailable, "not permitted");
    all.push_back(*setting.graphics);
    memory.push_back(setting.memory);
    return clocks_.set(setting);
  }

  std::optional<Megahertz> refused = {};
  std::vector<Megahertz> all = {};
  std::vector<std::optional<Megahertz>> memory = {};
  int restored = 0;

 private:
  simulate::BoardClocks clocks_;
};

class ClocksOfGt640 : public ::testing::Test {
 protected:
  // Profiles Srad, which waits for memory, and Hotspot, which computes; each takes so long, in 16 waves.
  explicit ClocksOfGt640(Nanoseconds time = nanoseconds_from_ms(20),
                         const std::vector<const char*>& names = {"Srad", "Hotspot"}) {
    std::vector<simulate::SimulatedKernel> kernels;
    for (const char* const name : names) kernels.push_back(simulate::find_gt640_kernel(name)->kernel);
    kernels_ = profile_all(simulate::gt640(), equally_long(simulate::gt640(), kernels, time, 16).value()).value();
    for (ProfiledKernel& kernel : kernels_) kernel.traits.power = {.alone = Watts(40), .idle = Watts(30)};
  }
  std::unique_ptr<SimulatedMachine> machine() {
    board_ = std::make_unique<simulate::SimulatedBoard>(*simulate::find_board_model("GT640"));
    clocks_ = std::make_unique<CountedClocks>(*board_);
    return simulated_machine(simulate::gt640(), kernels_, {.gpu = {.board = board_.get()}});
  }
  auto profiled() {
    const auto on = machine();
    return profile_at_clocks(*on, *clocks_, {.clocks = asked_, .window = nanoseconds_from_ms(20), .rounds = 1});
  }
  // Adds the profiles at clocks to the kernels.
  void profile(const Objective& objective) {
    const auto profiles = profiled().value();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      kernels_[i].traits.at_clocks = profiles[i];
      kernels_[i].traits.best_clocks = best_clocks(kernels_[i].traits, objective);
    }
  }
  QueueRun run(const std::string& policy, const std::vector<Arrival>& arrivals, const Objective& objective,
               std::optional<Megahertz> refused = {}) {
    const auto on = machine();
    clocks_->refused = refused;
    const QueueOptions options{.policy = policy,
                               .policy_options = {.objective = objective},
                               .scheduler = {.clocks = clocks_.get()},
                               .own_memory = Megahertz(710)};
    const auto table = forecast_all(*on, options, simulate::chain_sm(simulate::gt640())).value();
    return run_queue(*on, arrivals, options, table).value();
  }

  std::vector<backend::BoardSetting> asked_ = {
      {.graphics = Megahertz(562)}, {.graphics = Megahertz(836)}, {.graphics = Megahertz(1228)}};
  std::vector<ProfiledKernel> kernels_;
  std::unique_ptr<simulate::SimulatedBoard> board_;
  std::unique_ptr<CountedClocks> clocks_;
};

TEST_F(ClocksOfGt640, KernelsAreProfiledAtEachClock) {
  const auto profiles = profiled().value();
  ASSERT_EQ(profiles.size(), 2U);
  for (const auto& profile : profiles)
    EXPECT_THAT(profile, ElementsAre(testing::Field(&AtClock::clock, Megahertz(562)),
                                     testing::Field(&AtClock::clock, Megahertz(836)),
                                     testing::Field(&AtClock::clock, Megahertz(1228))));
  const auto& [waits, computes] = std::pair(profiles[0], profiles[1]);
  EXPECT_NEAR(computes[0].alone / computes[2].alone, 1228.0 / 562.0, 0.05);
  EXPECT_LT(waits[1].alone / waits[2].alone, 1.05);
  EXPECT_LT(waits[1].energy(), waits[2].energy());
  EXPECT_LT(waits[0].power.idle, waits[2].power.idle);
  EXPECT_EQ(clocks_->restored, 1);
}

TEST_F(ClocksOfGt640, ARefusedClockEndsTheProfileAndIsNamed) {
  const auto on = machine();
  clocks_->refused = Megahertz(836);
  const auto refused =
      profile_at_clocks(*on, *clocks_, {.clocks = asked_, .window = nanoseconds_from_ms(20), .rounds = 1});
  EXPECT_EQ(refused.error().to_string(), "clock of 836 MHz: not permitted");
  EXPECT_EQ(clocks_->restored, 1);
}

// A board that accepts each clock and keeps its own.
struct DeafClocks : fakes::FakeClocks {
  Result<backend::BoardSetting> current() override { return backend::BoardSetting{.graphics = Megahertz(1228)}; }
};

TEST_F(ClocksOfGt640, ABoardThatDoesNotObeyIsTold) {
  const auto on = machine();
  DeafClocks deaf;
  const auto refused = profile_at_clocks(*on, deaf, {.clocks = asked_, .window = nanoseconds_from_ms(20), .rounds = 1});
  EXPECT_THAT(refused.error().to_string(), HasSubstr("was set to a clock of 562 MHz, but runs at 1228 MHz"));
}

TEST_F(ClocksOfGt640, PairedAndGreedyTakeFewerJoulesAtClocksOfTheirChoice) {
  const Objective thrifty{.goal = Goal::energy};
  profile(thrifty);
  std::vector<Arrival> arrivals(20, Arrival{.kernel = 0});
  for (const char* const policy : {"paired", "greedy"}) {
    const QueueRun chosen = run(policy, arrivals, thrifty);
    EXPECT_FALSE(chosen.refusal);
    EXPECT_EQ(chosen.ended, 20U);
    EXPECT_LT(clocks_->all.front(), Megahertz(1228));
    EXPECT_EQ(clocks_->restored, 1);
    for (ProfiledKernel& kernel : kernels_) kernel.traits.best_clocks = {.graphics = Megahertz(1228)};
    const auto on = machine();
    const QueueRun own = run_queue(*on, arrivals, {.policy = policy}, PairTable(2)).value();
    EXPECT_LT(chosen.energy.value(), 0.95 * own.energy.value()) << policy;
    profile(thrifty);
  }
}

// Eight kernels at six clocks. Matrix and Time_step come last.
class ManyKernelsOfGt640 : public ClocksOfGt640 {
 protected:
  ManyKernelsOfGt640()
      : ClocksOfGt640(nanoseconds_from_ms(20),
                      {"Srad", "Hotspot", "Pathfinder", "Bitonic", "Layer", "Samplerank", "Matrix", "Time_step"}) {
    asked_.clear();
    for (const double clock : {562.0, 705.0, 836.0, 967.0, 1097.0, 1228.0})
      asked_.push_back({.graphics = Megahertz(clock)});
  }
};

// The first six are measured at all clocks. The last two are measured at few, the best among them, and estimates fill
// the rest.
TEST_F(ManyKernelsOfGt640, TheLastAreMeasuredAtFewClocksAndAtTheirBest) {
  const Objective thrifty{.goal = Goal::energy};
  const auto on = machine();
  const auto profiles =
      profile_at_clocks(*on, *clocks_,
                        {.clocks = asked_, .window = nanoseconds_from_ms(20), .rounds = 1, .objective = thrifty})
          .value();
  const auto measured = [&](std::size_t kernel) {
    return std::ranges::count(profiles[kernel], false, &AtClock::is_estimated);
  };
  for (std::size_t kernel = 0; kernel < 6; ++kernel) EXPECT_EQ(measured(kernel), 6) << kernel;
  EXPECT_LT(measured(6) + measured(7), 12);
  for (const std::size_t kernel : {6, 7}) {
    ASSERT_EQ(profiles[kernel].size(), 6U);
    KernelTraits traits = kernels_[kernel].traits;
    traits.at_clocks = profiles[kernel];
    const AtClock* const best = traits.at(best_clocks(traits, thrifty));
    ASSERT_NE(best, nullptr);
    EXPECT_FALSE(best->is_estimated);
    EXPECT_FALSE(profiles[kernel].back().is_estimated);
  }
}

// All pairs of two clocks of the cores and two of the memory.
class MemoryClocksOfGt640 : public ClocksOfGt640 {
 protected:
  MemoryClocksOfGt640() {
    asked_.clear();
    for (const double memory : {324.0, 710.0})
      for (const double core : {562.0, 1228.0})
        asked_.push_back({.graphics = Megahertz(core), .memory = Megahertz(memory)});
  }
};

// Srad waits for the memory, and Hotspot does not.
TEST_F(MemoryClocksOfGt640, ASlowerMemoryCostsWhatWaitsForItTime) {
  const auto profiles = profiled().value();
  const std::vector<AtClock>& waits = profiles[0];
  const std::vector<AtClock>& computes = profiles[1];
  ASSERT_EQ(waits.size(), 4U);
  EXPECT_EQ(waits[1].setting(), asked_[1]);
  EXPECT_NEAR(waits[1].alone / waits[3].alone, 710.0 / 324.0, 0.1);
  EXPECT_LT(computes[1].alone / computes[3].alone, 1.05);
  EXPECT_LT(computes[1].energy(), computes[3].energy());
  EXPECT_LT(computes[1].power.idle, computes[3].power.idle);
}

TEST_F(MemoryClocksOfGt640, PoliciesSetThoseOfBoth) {
  const Objective thrifty{.goal = Goal::energy};
  profile(thrifty);
  EXPECT_EQ(kernels_[0].traits.best_clocks->memory, Megahertz(710));
  EXPECT_EQ(kernels_[1].traits.best_clocks, asked_[1]);  // 1228/324
  for (const char* const policy : {"paired", "greedy"}) {
    const QueueRun run = this->run(policy, std::vector<Arrival>(20, Arrival{.kernel = 1}), thrifty);
    EXPECT_FALSE(run.refusal);
    EXPECT_EQ(run.ended, 20U);
    EXPECT_EQ(clocks_->all.front(), Megahertz(1228)) << policy;
    EXPECT_EQ(clocks_->memory.front(), Megahertz(324)) << policy;
    EXPECT_EQ(clocks_->restored, 1);
  }
}

// Either alone is as fast with a slower memory. Both together ask for more of it than it has.
TEST_F(MemoryClocksOfGt640, PairsSlowDownWithAMemoryThatTheyFill) {
  profile({.goal = Goal::energy});
  KernelTraits moves = kernels_[1].traits;
  moves.utilisation = model::Utilisation{0.2, 0.6};
  const Forecaster half = [](const KernelTraits&, const KernelTraits&) -> Result<PairForecast> {
    return PairForecast{.ratio = {4, 4}, .rates = {0.8, 0.8}};
  };
  const PairForecast best = clocked_forecaster(half, {}, {.goal = Goal::energy}, Megahertz(710))(moves, moves).value();
  std::vector<PairForecast> ways = best.others;
  ways.push_back(best);
  const auto speed_at = [&](const backend::BoardSetting& clocks) {
    return std::ranges::find(ways, clocks, &PairForecast::clocks)->speedup();
  };
  ASSERT_EQ(ways.size(), 4U);
  EXPECT_NEAR(speed_at(asked_[3]), 1.6, 0.05);
  EXPECT_LT(speed_at(asked_[1]), 0.6 * speed_at(asked_[3]));
}

// A queue of 3 works of each kernel, which take 1.5 s each.
class LongWorksOfGt640 : public ClocksOfGt640 {
 protected:
  LongWorksOfGt640() : ClocksOfGt640(nanoseconds_from_ms(1500)) {
    for (std::size_t i = 0; i < 6; ++i) arrivals_.push_back({.kernel = i % 2});
    profile(objective_);
  }

  Objective objective_{.goal = Goal::energy, .most_slowdown = 0.1};
  std::vector<Arrival> arrivals_;
};

// Alone, Hotspot keeps the limit only at the highest clock; Srad keeps it at lower ones, too.
TEST_F(LongWorksOfGt640, AreGroupedByClocks) {
  const QueueRun run = this->run("paired", arrivals_, objective_);
  EXPECT_FALSE(run.refusal);
  EXPECT_EQ(run.ended, 6U);
  EXPECT_EQ(clocks_->all.size(), 2U);
  EXPECT_THAT(clocks_->all, testing::Contains(Megahertz(1228)));
  Nanoseconds alone;
  for (const Arrival& arrival : arrivals_) alone += *kernels_[arrival.kernel].traits.alone;
  EXPECT_LT(run.makespan, 1.05 * alone);
}

// Each kernel has its clock in turn; the second clock is refused.
TEST_F(LongWorksOfGt640, AClockThatIsRefusedHalfWayEndsTheQueueWithWhatHasEnded) {
  static_cast<void>(run("paired", arrivals_, objective_));
  ASSERT_EQ(clocks_->all.size(), 2U);
  const Megahertz second = clocks_->all.back();
  const QueueRun run = this->run("paired", arrivals_, objective_, second);
  ASSERT_TRUE(run.refusal);
  EXPECT_EQ(run.refusal->to_string(),
            "setting clocks for kernels that run together, which are the board's own again: not permitted");
  EXPECT_EQ(run.ended, 3U);
  EXPECT_EQ(clocks_->all.size(), 1U);
  EXPECT_EQ(clocks_->restored, 1);
}

}  // namespace
}  // namespace wattune::schedule
