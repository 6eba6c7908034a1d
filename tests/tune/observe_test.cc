// What is read from the device's sensors beside the time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::tune {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

// 500 W while kernels run, and nothing in between: 0.5 mJ for the microsecond that `scale` takes.
backend::SensorReadings sensors(Nanoseconds clock) {
  return {.conditions = {.clock_mhz = 1700.0, .throttled = true}, .energy_joules = 500.0 * to_seconds(clock)};
}

constexpr Nanoseconds kWindow = nanoseconds_from_ms(10);
const EvaluatorOptions kPowerAndEnergy{.observe = {Quantity::power, Quantity::energy}, .energy_window = kWindow};

TEST(Observing, SamplesCarryTheClockAndWhetherItWasHeldDown) {
  Problem problem;
  problem.device.on_read(sensors);
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  ASSERT_FALSE(observation.samples.empty());
  EXPECT_THAT(observation.samples, Each(Field(&Sample::clock_mhz, std::optional(1700.0))));
  EXPECT_THAT(observation.samples, Each(Field(&Sample::throttled, true)));
  EXPECT_TRUE(observation.metrics.empty());
}

TEST(Observing, WithoutSensorsNothingIsClaimed) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_THAT(observation.samples, Each(Field(&Sample::clock_mhz, std::optional<double>())));
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
  ASSERT_TRUE(problem.start({.observe = {Quantity::energy}, .energy_window = kWindow}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_NEAR(observation.objective(), 0.5e-3, 1e-9);
  EXPECT_NEAR(observation.metrics.back().value, 0.5e-9, 1e-15);
}

TEST(Observing, ACounterThatIsMissingOrStandsStillIsAnError) {
  Problem missing;
  EXPECT_THAT(missing.start(kPowerAndEnergy).error().to_string(), HasSubstr("does not tell its energy"));
  Problem stuck;
  stuck.device.on_read([](Nanoseconds) { return backend::SensorReadings{.energy_joules = 1.0}; });
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

}  // namespace
}  // namespace wattune::tune
