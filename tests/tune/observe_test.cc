// Figures read from the device's sensors beside the time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/observed_board.h"
#include "tune/problem.h"
#include "wattune/core/log.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

backend::SensorReadings sensors(Nanoseconds) { return {.conditions = {.clock = Megahertz(1700), .throttled = true}}; }

const EvaluatorOptions kPowerAndEnergy{.observe = {BoardMetric::power, BoardMetric::energy}};

// A board of 500 W for the millisecond that `scale` takes here: 0.5 J, of which 0.45 are beyond the 50 W of an idle
// board.
struct BoardProblem : Problem {
  explicit BoardProblem(KernelSpec kernel_spec = scale_spec())
      : Problem(std::move(kernel_spec), [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
          WATTUNE_TRY(scale(launch));
          return board.run(Watts(500), nanoseconds_from_ms(1));
        }) {}
  Result<void> observe(std::vector<BoardMetric> metrics, EvaluatorOptions options = {}) {
    options.observe = std::move(metrics);
    options.energy_window = window;
    options.open_recorder = board.recorder_of(device);
    return start(options);
  }
  Nanoseconds window = nanoseconds_from_ms(300);
  ObservedBoard board;
};

const Metric* find(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  return found != observation.metrics.end() ? &*found : nullptr;
}

// Expects the truth within the bound, which is a share of it.
void expect_around(const Metric& metric, double truth, double widest) {
  EXPECT_LE(std::abs(metric.value - truth), *metric.uncertainty) << metric.name;
  EXPECT_LE(*metric.uncertainty, widest * truth) << metric.name;
}

TEST(Observing, SamplesCarryTheClockAndWhetherItWasHeldDown) {
  Problem problem;
  problem.device.on_read(sensors);
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  ASSERT_FALSE(observation.samples.empty());
  EXPECT_THAT(observation.samples, Each(Field(&Sample::clock, std::optional(Megahertz(1700)))));
  EXPECT_THAT(observation.samples, Each(Field(&Sample::throttled, true)));
  EXPECT_TRUE(observation.metrics.empty());
}

TEST(Observing, WithoutSensorsNothingIsClaimed) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_THAT(observation.samples, Each(Field(&Sample::clock, std::optional<Megahertz>())));
  EXPECT_THAT(observation.samples, Each(Field(&Sample::throttled, false)));
}

// The two ends are known to half a millisecond, half a launch at either end, and there are no gaps: 0.5 % of 400 ms.
TEST(Observing, EnergyIsThatOfOneRunAndPowerComesWithIt) {
  BoardProblem problem;
  ASSERT_TRUE(problem.observe({BoardMetric::power, BoardMetric::energy, BoardMetric::dynamic_energy,
                               BoardMetric::temperature, BoardMetric::voltage}));
  const Observation observation = problem.evaluate(16, 0).value();
  expect_around(*find(observation, "power"), 500.0, 0.01);
  EXPECT_EQ(find(observation, "power")->unit, "W");
  expect_around(*find(observation, "energy"), 0.5, 0.01);
  EXPECT_EQ(find(observation, "energy")->unit, "J");
  expect_around(*find(observation, "dynamic_energy"), 0.45, 0.02);
  EXPECT_EQ(find(observation, "temperature")->value, 45.0);
  EXPECT_EQ(find(observation, "voltage"), nullptr) << "the board tells none";
  EXPECT_EQ(find(observation, "energy_clock")->value, 1410.0);
  EXPECT_EQ(find(observation, "energy_throttled"), nullptr);
  EXPECT_EQ(find(observation, "energy_disagreement"), nullptr);
}

TEST(Observing, EnergyCanBeComputedWithAndSearchedFor) {
  KernelSpec spec = scale_spec();
  spec.metrics.push_back({"product", at_line("energy * time", 40)});
  spec.objectives = {{"energy", false}};
  BoardProblem problem(spec);
  ASSERT_TRUE(problem.observe({BoardMetric::energy}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(observation.objective(), 0.5, 0.005);
  EXPECT_NEAR(find(observation, "product")->value, 0.5e-3, 0.005e-3);
  EXPECT_GT(*find(observation, "product")->uncertainty, 0.0);
}

// A turn has 0.3 s of warming up, 0.3 s of window, two periods of 0.1 s, and half of the power sensor's window.
TEST(Observing, AFinalThatJoulesDecideKnowsWhatItsWindowsTake) {
  KernelSpec spec = scale_spec();
  spec.objectives = {{"energy", false}};
  BoardProblem problem(spec);
  ASSERT_TRUE(problem.observe({BoardMetric::energy}));
  ASSERT_TRUE(problem.evaluate(16, 0)->ok());
  EXPECT_NEAR(to_seconds(problem.evaluator->turn_overhead()), 0.3 + 0.3 + 0.2 + 0.05, 0.06);
  BoardProblem for_time;
  ASSERT_TRUE(for_time.observe({BoardMetric::energy}));
  ASSERT_TRUE(for_time.evaluate(16, 0)->ok());
  EXPECT_EQ(for_time.evaluator->turn_overhead(), Nanoseconds());
}

// Restoring `y` takes 2 ms at 50 W, 0.1 J, before each run. The board beneath the fake device sees the copies of a
// batch after all its launches. So an end of the window may divide one batch, of 8.5 J and 1.7 J, wrongly: 2 J of 600.
TEST(Observing, RestoringIsNoPartOfTheEnergy) {
  KernelSpec spec = scale_spec();
  spec.arguments[0] = vector_argument("y", ArgumentAccess::read_write);
  BoardProblem problem(spec);
  problem.device.slow_transfers(nanoseconds_from_ms(2));
  problem.window = nanoseconds_from_seconds(3);
  ASSERT_TRUE(problem.observe({BoardMetric::power, BoardMetric::energy}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(find(observation, "energy")->value, 0.5, 0.005);
  EXPECT_NEAR(find(observation, "power")->value, 500.0, 5.0);
  EXPECT_EQ(find(observation, "energy_with_set_up"), nullptr);
}

// After each launch, which takes a millisecond by the device's clock, 20 us pass at 50 W: 1 mJ of 501. Half of it is
// subtracted, as the launch itself may have been slower: then it drew 491.2 W.
TEST(Observing, WhatPassesBetweenLaunchesMayBeAGapAndIsTold) {
  ObservedBoard* board = nullptr;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    WATTUNE_TRY(scale(launch));
    const Nanoseconds time = board->run(Watts(500), nanoseconds_from_ms(1));
    board->idle_for(nanoseconds_from_ms(0.02));
    return time;
  });
  ObservedBoard observed;
  board = &observed;
  ASSERT_TRUE(problem.start({.observe = {BoardMetric::power, BoardMetric::energy},
                             .energy_window = nanoseconds_from_seconds(3),
                             .open_recorder = observed.recorder_of(problem.device)}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(find(observation, "energy_gap")->value, 0.0005, 1e-5);
  EXPECT_NEAR(find(observation, "energy")->value, 0.5005, 0.0005);
  const Metric& power = *find(observation, "power");
  EXPECT_NEAR(power.value, 495.6, 0.5);
  for (const double truth : {491.2, 500.0}) EXPECT_LE(std::abs(power.value - truth), *power.uncertainty) << truth;
}

// Throttling begins in the middle of the first window, which lies 0.3 to 0.8 s after the samples.
TEST(Observing, WindowsThatWereMeasuredAgainAreCounted) {
  BoardProblem problem;
  ASSERT_TRUE(problem.observe({BoardMetric::energy}));
  const Nanoseconds later = problem.board.board.now() + nanoseconds_from_ms(600);
  problem.board.board.conditions = [=](Nanoseconds at) { return backend::Conditions{Megahertz(1410), at > later}; };
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_EQ(find(observation, "energy_rejected")->value, 1.0);
  EXPECT_EQ(find(observation, "energy_throttled")->value, 1.0);
  EXPECT_EQ(find(observation, "energy_unsteady"), nullptr);
  EXPECT_EQ(find(observation, "energy_warming")->value, 0.0);
}

// The board draws 500 W for a millisecond, of which 60 W are the context's: 0.44 J.
TEST(Observing, TheIdlePowerOfACharacterisedBoardIsTakenFromThere) {
  BoardProblem problem;
  problem.board.characterised = {{Watts(60), Watts()}};
  const Nanoseconds before = problem.board.board.now();
  ASSERT_TRUE(problem.observe({BoardMetric::dynamic_energy}, {.check = CheckOutput::never}));
  EXPECT_EQ(problem.board.board.now(), before) << "nothing was measured";
  expect_around(*find(problem.evaluate(16, 0).value(), "dynamic_energy"), 0.44, 0.02);
}

// Returns the warnings that are logged during `work`.
std::vector<std::string> warnings_of(const std::function<void()>& work) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  set_log_level(LogLevel::warn);
  work();
  set_log_level(LogLevel::off);
  set_log_sink({});
  return lines;
}

// Returns the warnings of a search for the least energy, on a board whose idle power may be known.
std::vector<std::string> warnings_on(std::optional<power::Measured<Watts>> characterised) {
  KernelSpec spec = scale_spec();
  spec.objectives = {{"energy", false}};
  BoardProblem problem(spec);
  problem.board.characterised = characterised;
  return warnings_of([&] { EXPECT_TRUE(problem.observe({BoardMetric::energy})); });
}

TEST(Observing, ABoardThatWasNotCharacterisedIsSaidWhereJoulesDecide) {
  EXPECT_THAT(warnings_on({}), ElementsAre(HasSubstr("is not characterised: 50 W with nothing to do were measured")));
  EXPECT_THAT(warnings_on({{Watts(60), Watts()}}), IsEmpty());
}

TEST(Observing, WhatMakesAFigureSuspectIsRecorded) {
  BoardProblem problem;
  problem.board.board.sensors().energy[0].gain = 0.5;
  problem.board.board.conditions = [](Nanoseconds) { return backend::Conditions{Megahertz(1410), true}; };
  ASSERT_TRUE(problem.observe({BoardMetric::energy}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(find(observation, "energy_disagreement")->value, 1.0, 0.05);
  EXPECT_EQ(find(observation, "energy_throttled")->value, 1.0);
}

// The power sensor shows 5 % more than the counter.
TEST(Observing, SensorsThatDisagreeAreWarnedOfOnce) {
  BoardProblem problem;
  problem.board.board.sensors().energy[0].gain = 1 / 1.05;
  ASSERT_TRUE(problem.observe({BoardMetric::energy}));
  const auto evaluate = [&] { EXPECT_NE(find(problem.evaluate(16, 0).value(), "energy_disagreement"), nullptr); };
  EXPECT_THAT(warnings_of(evaluate), ElementsAre(HasSubstr("its power sensor differ by ")));
  EXPECT_THAT(warnings_of(evaluate), IsEmpty());
}

// Times alone need no board, no thread and no sensor.
TEST(Observing, TimesAloneOpenNoBoard) {
  BoardProblem problem;
  ASSERT_TRUE(problem.observe({}));
  ASSERT_TRUE(problem.evaluate(16, 0)->ok());
  EXPECT_EQ(problem.board.opened, 0);
}

TEST(Observing, ACounterThatIsMissingOrStandsStillIsAnError) {
  Problem missing;
  EXPECT_THAT(missing.start(kPowerAndEnergy).error().to_string(), HasSubstr("does not tell its energy"));
  BoardProblem stuck;
  ASSERT_TRUE(stuck.observe({BoardMetric::energy}));
  stuck.board.board.sensors().energy[0].dies = stuck.board.board.now();
  EXPECT_THAT(stuck.evaluate(16, 0).error().to_string(), HasSubstr("stands still"));
}

// Energy is measured with registered sensors by examples/cpp/own_sensor.cc.
TEST(Observing, RegisteredSensorsAreOpenedByTheirName) {
  static std::string asked_for;
  ASSERT_TRUE(power::register_sensors("blind", [](const DeviceInfo& device) -> Result<power::Board> {
    asked_for = device.selector;
    return power::Board();
  }));
  Problem problem;
  EvaluatorOptions options{.observe = {BoardMetric::energy}, .sensors = "blind"};
  EXPECT_THAT(problem.start(options).error().to_string(), HasSubstr("blind has no sensor of energy or power"));
  EXPECT_EQ(asked_for, problem.device.info().selector);
  options.sensors = "deaf";
  const Error unknown = problem.start(options).error();
  EXPECT_EQ(unknown.code(), ErrorCode::not_found);
  EXPECT_THAT(unknown.to_string(), HasSubstr("no sensors of this name are registered: `deaf`"));
  options.observe = {};
  EXPECT_TRUE(problem.start(options)) << "nothing is measured with them";
}

TEST(Observing, AParameterMayNotHaveTheName) {
  KernelSpec spec = scale_spec();
  spec.parameters.push_back({"energy", {1}, {}, {}});
  Problem problem(spec);
  EXPECT_THAT(problem.start(kPowerAndEnergy).error().to_string(), HasSubstr("energy"));
}

// Two counters; the second has no meaning here.
const EvaluatorOptions kCounters{.counters = {"dram__bytes_read.sum", "lts__t_sector_hit_rate.pct"}};

Result<std::vector<Metric>> two_counters(const std::vector<std::string>& names) {
  return std::vector<Metric>{{names.at(0), 256.0, "byte"}};
}

TEST(Observing, CountersAreMetricsOfOneMoreRun) {
  KernelSpec spec = scale_spec();
  spec.metrics.push_back({"bandwidth", at_line("dram__bytes_read.sum / time / 1e9", 40)});
  spec.metrics.push_back({"misses", at_line("100 - lts__t_sector_hit_rate.pct", 41)});
  Problem problem(spec);
  problem.device.on_count(two_counters);
  ASSERT_TRUE(problem.start(kCounters));
  const int before = problem.device.counters().launches;
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_EQ(observation.samples.size(), 7u);
  EXPECT_EQ(problem.device.counters().launches - before, 1 + 7 + 1) << "checked, timed and counted";
  // The first metric is 256 bytes in a microsecond. Counters that the device left out, and metrics computed from them,
  // are absent.
  ASSERT_EQ(observation.metrics.size(), 2u);
  EXPECT_EQ(observation.metrics[0], (Metric{"dram__bytes_read.sum", 256.0, "byte"}));
  EXPECT_EQ(observation.metrics[1].name, "bandwidth");
  EXPECT_NEAR(observation.metrics[1].value, 0.256, 1e-12);
}

TEST(Observing, CountersCanBeSearchedFor) {
  KernelSpec spec = scale_spec();
  spec.objectives = {{"dram__bytes_read.sum", false}};
  Problem problem(spec);
  problem.device.on_count(two_counters);
  ASSERT_TRUE(problem.start(kCounters));
  EXPECT_EQ(problem.evaluate(16, 0).value().objective(), 256.0);
  const Configuration any = problem.space.configuration(problem.space.default_configuration());
  const Contest contest = problem.evaluator->hold_contest({any}, {}).value();
  EXPECT_EQ(contest.observations.front().objective(), 256.0) << contest.observations.front().message;
  EXPECT_EQ(contest.rounds.front().front().objective, 256.0);
}

TEST(Observing, OnlyTheBestSoFarAndFinalistsAreCountedWhenAsked) {
  // Makes a launch take a microsecond for each work-item of a group.
  Problem problem(scale_spec(), [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    WATTUNE_TRY(scale(launch));
    return Nanoseconds(1000.0 * launch.macro("block"));
  });
  problem.device.on_count(two_counters);
  EvaluatorOptions options = kCounters;
  options.observe_for = ObserveFor::winners;
  ASSERT_TRUE(problem.start(options));
  EXPECT_EQ(problem.evaluate(16, 0).value().metrics.size(), 1u);
  EXPECT_EQ(problem.evaluate(64, 0).value().metrics.size(), 0u);
  EXPECT_EQ(problem.evaluate(8, 0).value().metrics.size(), 1u);
  const auto configuration = [&](int block) {
    const std::vector<std::pair<std::string, Value>> values{{"block", block}, {"mode", 0}};
    return problem.space.configuration(problem.space.find(values).value());
  };
  const Contest contest = problem.evaluator->hold_contest({configuration(8), configuration(64)}, {}).value();
  for (const Observation& finalist : contest.observations) EXPECT_EQ(finalist.metrics.size(), 1u);
}

TEST(Observing, SaysAtOnceWhyNothingCanBeCounted) {
  Problem none;
  const Error error = none.start(kCounters).error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.to_string(), HasSubstr("the fake device has no hardware counters"));
  KernelSpec spec = scale_spec();
  spec.objectives = {{"dram__bytes_read.sum", false}};
  Problem winners(spec);
  winners.device.on_count(two_counters);
  EvaluatorOptions options = kCounters;
  options.observe_for = ObserveFor::winners;
  EXPECT_THAT(winners.start(options).error().to_string(), HasSubstr("if only winners are observed"));
}

// A profiler that fails later, because another one took the counters, is no configuration's failure; it ends the run.
TEST(Observing, ACounterThatFailsLaterEndsTheRun) {
  Problem problem;
  problem.device.on_count(two_counters);
  ASSERT_TRUE(problem.start(kCounters));
  problem.device.on_count([](const auto&) { return Error(ErrorCode::unavailable, "the counters are taken"); });
  EXPECT_THAT(problem.evaluate(16, 0).error().to_string(), HasSubstr("the counters are taken"));
}

// An observer that counts the launches that the device made for it.
class LaunchCounter : public Observer {
 public:
  explicit LaunchCounter(const fakes::FakeDevice& device) : device_(device) {}
  std::vector<std::string> metrics() const override { return {"launches"}; }
  Result<void> begin(const Configuration& configuration) override {
    if (*configuration.find("block") == Value(64)) return Error(ErrorCode::io_error, "the meter is gone");
    before_ = device_.counters().launches;
    return {};
  }
  Result<std::vector<Metric>> end(std::span<const Sample> runs) override {
    EXPECT_EQ(runs.size(), 5u);
    return std::vector<Metric>{{"launches", static_cast<double>(device_.counters().launches - before_), ""}};
  }

 private:
  const fakes::FakeDevice& device_;
  int before_ = 0;
};

TEST(Observing, AnObserverOfTheUsersMakesMetrics) {
  KernelSpec spec = scale_spec();
  spec.metrics.push_back({"twice", at_line("2 * launches", 40)});
  spec.objectives = {{"twice", false}};
  Problem problem(spec);
  ASSERT_TRUE(problem.start({.observers = {std::make_shared<LaunchCounter>(problem.device)}, .observed_runs = 5}));
  EXPECT_EQ(problem.evaluate(16, 0).value().objective(), 10.0);
  const Configuration any = problem.space.configuration(problem.space.default_configuration());
  EXPECT_EQ(problem.evaluator->hold_contest({any}, {}).value().observations.front().objective(), 10.0);
}

TEST(Observing, AnObserverThatFailsEndsTheSearch) {
  Problem problem;
  ASSERT_TRUE(problem.start({.observers = {std::make_shared<LaunchCounter>(problem.device)}, .observed_runs = 5}));
  EXPECT_THAT(problem.evaluate(64, 0).error().to_string(), HasSubstr("the meter is gone"));
}

}  // namespace
}  // namespace wattune::tune
