// What is read from the device's sensors beside the time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tune/problem.h"

namespace wattune::tune {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

// 500 W while kernels run, and nothing in between: 0.5 mJ for the microsecond that `scale` takes.
backend::SensorReadings sensors(Nanoseconds clock) {
  return {.conditions = {.clock = Megahertz(1700), .throttled = true}, .energy = Watts(500) * clock};
}

constexpr Nanoseconds kWindow = nanoseconds_from_ms(10);
const EvaluatorOptions kPowerAndEnergy{.observe = {BoardMetric::power, BoardMetric::energy}, .energy_window = kWindow};

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

TEST(Observing, EnergyIsThatOfOneRunAndPowerComesWithIt) {
  Problem problem;
  problem.device.on_read(sensors);
  ASSERT_TRUE(problem.start(kPowerAndEnergy));
  const Observation observation = problem.evaluate(16, 0).value();
  ASSERT_EQ(observation.metrics.size(), 2u);
  EXPECT_EQ(observation.metrics[0].name, "power");
  EXPECT_EQ(observation.metrics[0].unit, "W");
  EXPECT_GT(observation.metrics[0].value, 0.0);
  EXPECT_EQ(observation.metrics[1].name, "energy");
  EXPECT_EQ(observation.metrics[1].unit, "J");
  EXPECT_NEAR(observation.metrics[1].value, 0.5e-3, 1e-9);
}

TEST(Observing, EnergyCanBeComputedWithAndSearchedFor) {
  KernelSpec spec = scale_spec();
  spec.metrics.push_back({"product", at_line("energy * time", 40)});
  spec.objectives = {{"energy", false}};
  Problem problem(spec);
  problem.device.on_read(sensors);
  ASSERT_TRUE(problem.start({.observe = {BoardMetric::energy}, .energy_window = kWindow}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(observation.objective(), 0.5e-3, 1e-9);
  EXPECT_NEAR(observation.metrics.back().value, 0.5e-9, 1e-15);
}

// Runs of a microsecond are read in batches of 4096, and the counter rises after so many batches. The window is over at
// once, so that it ends at the next rise; of the batches in it, one may belong to another side of either end.
TEST(Observing, EnergyIsKnownToABatchOfItsRuns) {
  for (const int batches : {1, 4, 8}) {
    Problem problem;
    problem.device.on_read([&](Nanoseconds clock) {
      return backend::SensorReadings{.energy = Joules(std::floor(clock.value() / (batches * 4'096'000.0)))};
    });
    ASSERT_TRUE(problem.start({.observe = {BoardMetric::power, BoardMetric::energy}, .energy_window = Nanoseconds()}));
    const Observation observation = problem.evaluate(16, 0).value();
    EXPECT_GT(observation.metrics[0].uncertainty.value(), 0.0);
    const Metric& energy = observation.metrics[1];
    EXPECT_DOUBLE_EQ(energy.value, 1.0 / (batches * 4096));
    EXPECT_DOUBLE_EQ(energy.uncertainty.value() / energy.value, 1.0 / batches);
  }
}

TEST(Observing, ACounterThatIsMissingOrStandsStillIsAnError) {
  Problem missing;
  EXPECT_THAT(missing.start(kPowerAndEnergy).error().to_string(), HasSubstr("does not tell its energy"));
  Problem stuck;
  stuck.device.on_read([](Nanoseconds) { return backend::SensorReadings{.energy = Joules(1)}; });
  ASSERT_TRUE(stuck.start(kPowerAndEnergy));
  EXPECT_THAT(stuck.evaluate(16, 0).error().to_string(), HasSubstr("stands still"));
}

TEST(Observing, AParameterMayNotHaveTheName) {
  KernelSpec spec = scale_spec();
  spec.parameters.push_back({"energy", {1}, {}, {}});
  Problem problem(spec);
  problem.device.on_read(sensors);
  EXPECT_THAT(problem.start(kPowerAndEnergy).error().to_string(), HasSubstr("energy"));
}

// Two counters, of which the second means nothing here.
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
  // 256 bytes in a microsecond; what the device left out is left out, and so is what is computed from it.
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
  // A microsecond for each work-item of a group.
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
  EXPECT_THAT(winners.start(options).error().to_string(), HasSubstr("only winners are to be observed"));
}

// A profiler that fails later, for another took the counters, is nobody's fault but ends the run.
TEST(Observing, ACounterThatFailsLaterEndsTheRun) {
  Problem problem;
  problem.device.on_count(two_counters);
  ASSERT_TRUE(problem.start(kCounters));
  problem.device.on_count([](const auto&) { return Error(ErrorCode::unavailable, "the counters are taken"); });
  EXPECT_THAT(problem.evaluate(16, 0).error().to_string(), HasSubstr("the counters are taken"));
}

// Counts the launches that the device made for it.
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
