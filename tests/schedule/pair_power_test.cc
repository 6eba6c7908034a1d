// Tests the measured power of running pairs: windows, corrected forecasts, and the decisions of `paired`.
#include "schedule/forecast/pair_power.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schedule/interface/policy.h"
#include "schedule/interface/power_profile.h"
#include "schedule/scheduler_runs.h"
#include "schedule/tiny_machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {
namespace {

using Kernels = std::array<KernelId, 2>;
constexpr Kernels kPair{0, 1};

// A counter that changes every 100 ms. Pairs draw 400 W where 300 are forecast; everything else draws 100 W.
class Windows : public ::testing::Test {
 protected:
  // Runs for this time and notes the counter every 10 ms. Returns the latest power.
  std::optional<PairPowers> run(const std::optional<Kernels>& pair, double ms) {
    std::optional<PairPowers> powers;
    for (double passed = 0.0; passed < ms - 1e-9; passed += 10.0) {
      now_ += nanoseconds_from_ms(10);
      energy_ += Watts(pair ? 400 : 100) * nanoseconds_from_ms(10);
      if (std::fmod(to_ms(now_) + 1e-6, 100.0) < 1e-3) counter_ = energy_;
      if (const auto told = power_.note(now_, counter_, pair, Watts(pair ? 300 : 100))) powers = told;
    }
    return powers;
  }
  static void expect_right(const std::optional<PairPowers>& powers) {
    ASSERT_TRUE(powers);
    EXPECT_NEAR(powers->measured.value(), 400.0, 1e-6);
    EXPECT_NEAR(powers->forecast.value(), 300.0, 1e-6);
  }

  PairPower power_;
  Nanoseconds now_;
  Joules energy_, counter_;
};

// The change at 100 ms may include earlier time, so the window begins at 200 ms.
TEST_F(Windows, AreHalfASecondLongFromTheSecondChangeOn) {
  run({}, 50);
  EXPECT_FALSE(run(kPair, 640));
  expect_right(run(kPair, 10));
  EXPECT_FALSE(run(kPair, 490));
  expect_right(run(kPair, 10));
}

TEST_F(Windows, LeaveOutWhatRunsBetween) {
  run(kPair, 400);
  run({}, 20);
  EXPECT_FALSE(run(kPair, 270));
  expect_right(run(kPair, 10));
}

TEST_F(Windows, EndWithABreak) {
  run(kPair, 600);
  EXPECT_FALSE(run({}, 150));
  EXPECT_FALSE(run(kPair, 640));
  expect_right(run(kPair, 10));
}

TEST_F(Windows, AreOfOnePair) {
  run(kPair, 600);
  const Kernels other{0, 2};
  EXPECT_FALSE(run(other, 690));
  expect_right(run(other, 10));
  EXPECT_EQ(power_.pair(), other);
}

PairWatts watts_of_two() {
  return {.idle = Watts(100), .added = {Watts(100), Watts(100)}, .alone = {Watts(200), Watts(200)}};
}

TEST(MeasuredPower, CorrectsWhatBothAddInAllWays) {
  PairTable table(1, 1.0, {.goal = Goal::energy});
  table.learn(0, 1,
              best_of({.goal = Goal::energy}, {{.ratio = {1, 3}, .rates = {0.5, 1.0}, .watts = watts_of_two()},
                                               {.ratio = {2, 2}, .rates = {0.8, 0.8}, .watts = watts_of_two()}}));
  EXPECT_NEAR(table.find(0, 1)->power().value(), 260.0, 1e-9);
  EXPECT_FALSE(table.powers(0, 1));
  table.observe_power(1, 0, {.forecast = Watts(260), .measured = Watts(420)});
  EXPECT_NEAR(table.find(1, 0, {.ratio = {2, 2}}, {})->power().value(), 420.0, 1e-9);
  EXPECT_NEAR(table.find(0, 1, {.ratio = {1, 3}}, {})->power().value(), 100.0 + 2.0 * 150.0, 1e-9);
  table.observe_power(0, 1, {.forecast = Watts(400), .measured = Watts(250)});
  EXPECT_NEAR(table.find(0, 1, {.ratio = {1, 3}}, {})->power().value(), 250.0, 1e-9);
  EXPECT_NEAR(table.powers(0, 1)->forecast.value(), 250.0, 1e-9);  // without any correction
  EXPECT_EQ(table.powers(0, 1)->measured, Watts(250));
}

TEST(MeasuredPower, OfAnIdleBoardOrWithoutAForecastIsIgnored) {
  PairTable table(1);
  table.learn(0, 1, {.ratio = {2, 2}, .rates = {0.8, 0.8}, .watts = watts_of_two()});
  table.learn(0, 3, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
  table.observe_power(0, 1, {.forecast = Watts(260), .measured = Watts(100)});
  table.observe_power(0, 2, {.forecast = Watts(260), .measured = Watts(300)});
  table.observe_power(0, 3, {.forecast = Watts(260), .measured = Watts(300)});
  EXPECT_NEAR(table.find(0, 1)->power().value(), 260.0, 1e-9);
  for (const KernelId other : {1, 2, 3}) EXPECT_FALSE(table.powers(0, other));
}

// A machine that draws 100 W idle and 200 W with each kernel alone. The test sets the power of both together, for which
// the speeds suggest 360 W. Its counter changes every 100 ms.
class HungryPair : public TinyMachine {
 public:
  explicit HungryPair(double together) : together_(together) {
    for (const char* name : {"a", "b"}) {
      KernelTraits kernel = tiny_kernel(name);
      kernel.power = {.alone = Watts(200), .idle = Watts(100)};
      add(kernel);
    }
    set_rates(0, 1, 0.8, 0.8);
  }

  std::optional<Joules> energy() const override { return counter_; }
  Joules drawn() const { return drawn_; }

  std::vector<Ended> wait(Nanoseconds until) override {
    const Nanoseconds before = now();
    const std::size_t kernels = kernels_that_run();
    auto ended = TinyMachine::wait(until);
    drawn_ += Watts(kernels == 0 ? 100.0 : (kernels == 1 ? 200.0 : together_)) * (now() - before);
    if (now() < renewed_ + nanoseconds_from_ms(100)) return ended;
    renewed_ = now();
    counter_ = drawn_;
    return ended;
  }

 private:
  double together_;
  Joules drawn_, counter_;
  Nanoseconds renewed_;
};

// Whether the power of pairs is measured before the queue.
enum class Power { as_forecast, measured };

// A queue of 100 works of 10 ms of each kernel, all at once. At 0.8 of their speeds both take 1.25 s; one after the
// other they take 2 s and 400 J.
struct Queue {
  explicit Queue(double watts_together, const Objective& objective = {.goal = Goal::energy},
                 Power power = Power::as_forecast)
      : machine(watts_together) {
    scheduler = std::make_unique<Scheduler>(machine, find_policy("paired", {.objective = objective}).value(),
                                            SchedulerOptions{.objective = objective});
    PairTable table(1, SchedulerOptions().correction_weight, objective);
    table.learn(0, 1,
                {.ratio = {2, 2}, .rates = {0.8, 0.8}, .watts = watts_of(*machine.kernel(0), *machine.kernel(1))});
    if (power == Power::measured) {
      EXPECT_TRUE(measure_pair_power(machine, nanoseconds_from_seconds(1), objective, table));
    }
    begin = machine.now();
    drawn_before = machine.drawn();
    scheduler->learn(std::move(table));
    for (int i = 0; i < 200; ++i) {
      const Work work{.kernel = i % 2 == 0 ? 0U : 1U};
      EXPECT_TRUE(scheduler->submit({&work, 1}));
    }
    run_to_end(*scheduler, machine);
  }
  double measured() const { return scheduler->table().powers(0, 1).value().measured.value(); }
  double seconds() const { return to_seconds(machine.now() - begin); }
  double joules() const { return (machine.drawn() - drawn_before).value(); }

  HungryPair machine;
  std::unique_ptr<Scheduler> scheduler;
  Nanoseconds begin;
  Joules drawn_before;
};

// 260 W are forecast: 325 J. At 400 W the pair would take 500 J. This is seen after 0.8 s, when 64 works of each are
// done for 320 J. The other 72 run alone in 0.72 s and 144 J.
TEST(MeasuredPower, PartsAPairThatLosesJoules) {
  const Queue queue(400);
  EXPECT_NEAR(queue.measured(), 400.0, 8.0);
  EXPECT_LT(queue.joules(), 475.0);
  EXPECT_GT(queue.seconds(), 1.45);
}

TEST(MeasuredPower, LeavesTogetherWhatGains) {
  const Queue queue(270);
  EXPECT_NEAR(queue.measured(), 270.0, 5.0);
  EXPECT_NEAR(queue.seconds(), 1.25, 0.01);
}

TEST(MeasuredPower, KeepsACap) {
  EXPECT_NEAR(Queue(300, {.power_cap = Watts(320)}).seconds(), 1.25, 0.01);
  EXPECT_GT(Queue(340, {.power_cap = Watts(320)}).seconds(), 1.45);
}

// One after the other the works take 400 J and 2 s.
TEST(MeasuredPower, BeforeAQueueNeverRunsAPairThatLosesJoules) {
  const Queue queue(400, {.goal = Goal::energy}, Power::measured);
  EXPECT_NEAR(queue.measured(), 400.0, 8.0);
  EXPECT_NEAR(queue.joules(), 400.0, 1.0);
  EXPECT_NEAR(queue.seconds(), 2.0, 0.01);
}

TEST(MeasuredPower, BeforeAQueueRunsAPairThatGains) {
  const Queue queue(270, {.goal = Goal::energy}, Power::measured);
  EXPECT_NEAR(queue.begin / nanoseconds_from_seconds(2), 1.0, 0.05);
  EXPECT_NEAR(queue.seconds(), 1.25, 0.01);
}

TEST(MeasuredPower, BeforeAQueueEndsWhenItsUserSaysSo) {
  HungryPair machine(270);
  PairTable table(1, 1.0, {.goal = Goal::energy});
  table.learn(0, 1, {.ratio = {2, 2}, .rates = {0.8, 0.8}, .watts = watts_of_two()});
  const std::atomic<bool> cancel = true;
  const auto ended = measure_pair_power(machine, nanoseconds_from_seconds(1), {.goal = Goal::energy}, table, &cancel);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(machine.now(), Nanoseconds(0));
}

// By the forecast, the two would draw 260 W together.
TEST(MeasuredPower, BeforeAQueueRunsNoPairThatIsForbidden) {
  EXPECT_EQ(Queue(270, {.goal = Goal::energy, .power_cap = Watts(250)}, Power::measured).begin, Nanoseconds(0));
}

}  // namespace
}  // namespace wattune::schedule
