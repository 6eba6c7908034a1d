// Runs of several launches, and launches on some of the arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Contains;

Geometry one_group(const std::string& size) {
  Geometry geometry;
  geometry.sizes[0] = at_line(size, 40);
  geometry.work_group[0] = at_line(size, 41);
  return geometry;
}

// Returns a spec of y = factor * x, then, unless mode is 1, y = y + 1 by `increment`, which takes only y.
KernelSpec scale_and_increment() {
  KernelSpec spec = scale_spec();
  spec.source.text += " kernel void increment(global float* y)";
  spec.steps = {{"scale", {0, 1, 2}, spec.geometry, {}}, {"increment", {0}, one_group("32"), at_line("mode != 1", 42)}};
  return spec;
}

Result<Nanoseconds> increment(const fakes::FakeLaunch& launch) {
  for (float& y : launch.elements<float>(0)) y += 1.0f;
  return Nanoseconds(500.0);
}

ReferenceKernel plain_reference(std::vector<std::size_t> arguments) {
  ReferenceKernel reference;
  reference.source.function = "plain";
  reference.source.text = "kernel void plain()";
  reference.geometry = one_group("n");
  reference.arguments = std::move(arguments);
  return reference;
}

// Computes 3 * x + 1, from y and x alone.
Result<Nanoseconds> plain(const fakes::FakeLaunch& launch) {
  const auto y = launch.elements<float>(0);
  const auto x = launch.elements<float>(1);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = 3.0f * x[i] + 1.0f;
  return Nanoseconds(1.0);
}

TEST(Steps, RunOneAfterAnotherAndAreTimedTogether) {
  Problem problem(scale_and_increment());
  problem.device.add_kernel("increment", 1, increment);
  problem.device.add_kernel("plain", 2, plain);
  problem.spec.reference = plain_reference({0, 1});
  ASSERT_TRUE(problem.start());
  const Observation both = problem.evaluate(8, 0).value();
  EXPECT_EQ(both.status, Status::correct) << both.message;
  EXPECT_TRUE(both.verified);
  EXPECT_EQ(both.statistics->median, Nanoseconds(1500.0));
}

TEST(Steps, AreLeftOutWhereTheirConditionFails) {
  Problem problem(scale_and_increment());
  problem.device.add_kernel("increment", 1, increment);
  problem.device.add_kernel("plain", 2, plain);
  problem.spec.reference = plain_reference({0, 1});
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 1)->message,  // without the increment
            "`y`: 64 of 64 elements are wrong, first at [0]: expected 1, got 0 (largest error 1)");
}

TEST(Steps, AreRepeatedAsTheirExpressionSays) {
  KernelSpec spec = scale_and_increment();
  spec.steps[1].repeat = at_line("block // 4", 43);
  Problem problem(spec);
  problem.device.add_kernel("increment", 1, increment);
  problem.device.add_kernel("plain", 2, plain);
  problem.spec.reference = plain_reference({0, 1});
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->message,  // two increments; the reference expects one
            "`y`: 64 of 64 elements are wrong, first at [0]: expected 1, got 2 (largest error 1)");
  problem.spec.reference = {};
  ASSERT_TRUE(problem.start({.check = CheckOutput::never}));
  EXPECT_EQ(problem.evaluate(16, 0)->statistics->median, Nanoseconds(1000.0 + 4 * 500.0));
}

TEST(Steps, AReferenceKernelRunsOnceWhateverTheFirstLaunchRepeats) {
  KernelSpec spec = scale_and_increment();
  spec.steps[0].repeat = at_line("2", 43);
  Problem problem(spec);
  int launches = 0;
  problem.device.add_kernel("increment", 1, increment);
  problem.device.add_kernel("plain", 2, [&](const fakes::FakeLaunch& launch) {
    ++launches;
    return plain(launch);
  });
  problem.spec.reference = plain_reference({0, 1});
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
  EXPECT_EQ(launches, 1);
}

TEST(Steps, TakeTheMostOfEachResource) {
  Problem problem(scale_and_increment());
  problem.device.add_kernel("increment", 1, increment);
  problem.device.on_resources([](const fakes::Macros&, std::size_t group) {
    backend::KernelResources resources;
    resources.registers = static_cast<unsigned>(group);
    resources.occupancy = 1.0 / static_cast<double>(group);
    return resources;
  });
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(8, 0).value();  // groups of 8 and of 32
  EXPECT_THAT(observation.metrics, Contains(Metric{"registers", 32.0, ""}));
  EXPECT_THAT(observation.metrics, Contains(Metric{"occupancy", 1.0 / 32.0, ""}));
}

TEST(Steps, WithAnotherNumberOfArgumentsAreAMistake) {
  Problem problem(scale_and_increment());
  problem.device.add_kernel("increment", 2, increment);
  ASSERT_TRUE(problem.start());
  const auto observation = problem.evaluate(8, 0);
  ASSERT_FALSE(observation);
  EXPECT_EQ(observation.error().to_string(), "spec.toml:10:1: kernel `increment` takes 2 arguments, the spec lists 1");
}

TEST(Steps, AReferenceMayTakeAScalarThatTheKernelDoesNot) {
  KernelSpec spec = scale_spec();
  spec.arguments.push_back({"offset", ScalarArgument{ElementType::float32, at_line("0", 13)}, {"spec.toml", 13, 1}});
  spec.steps = {{"", {0, 1, 2}, spec.geometry, {}}};
  spec.reference = plain_reference({0, 1, 3});
  Problem problem(spec);
  problem.device.add_kernel("plain", 3, [](const fakes::FakeLaunch& launch) {
    const auto y = launch.elements<float>(0);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 3.0f * launch.elements<float>(1)[i] + launch.scalar<float>(2);
    return Result<Nanoseconds>(Nanoseconds(1.0));
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

// Returns a spec of y = 2 * x, after which y is x: as often as `repeat` says, so that the answer is in x.
KernelSpec doubling(const std::string& repeat) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).comparison = OutputComparison::none;
  std::get<VectorArgument>(spec.arguments[1].kind).access = ArgumentAccess::read_write;
  LaunchStep step{"scale", {0, 1, 2}, spec.geometry, {}, at_line(repeat, 43)};
  step.swaps = {{0, 1}};
  spec.steps = {step};
  return spec;
}

TEST(Steps, OutputsAreWhereTheirNamesAreAfterTheLastRepetition) {
  for (const int repeat : {1, 2, 3}) {
    Problem problem(doubling(std::to_string(repeat)), [](const fakes::FakeLaunch& launch) {
      const auto x = launch.elements<float>(1);
      for (std::size_t i = 0; i < x.size(); ++i) launch.elements<float>(0)[i] = 2.0f * x[i];
      return Result<Nanoseconds>(Nanoseconds(1000.0));
    });
    problem.spec.reference = plain_reference({1});
    problem.device.add_kernel("plain", 1, [&](const fakes::FakeLaunch& launch) {
      for (float& x : launch.elements<float>(0)) x *= static_cast<float>(1 << repeat);
      return Result<Nanoseconds>(Nanoseconds(1.0));
    });
    ASSERT_TRUE(problem.start());
    const Observation observation = problem.evaluate(8, 0).value();
    EXPECT_EQ(observation.status, Status::correct) << repeat << ": " << observation.message;
    EXPECT_TRUE(observation.verified);
    EXPECT_EQ(observation.statistics->median, Nanoseconds(repeat * 1000.0));
  }
}

TEST(Steps, EachRepetitionGetsTheValuesOfItsIndex) {
  KernelSpec spec = scale_spec();
  LaunchStep step{"scale", {0, 1, 2}, spec.geometry, {}, at_line("3", 43), "i"};
  step.values = {{2, at_line("i + 0.5", 44)}};
  spec.steps = {step};
  std::vector<float> seen;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) {
    seen.push_back(launch.scalar<float>(2));
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0));
  ASSERT_GE(seen.size(), 3u);
  seen.resize(3);
  EXPECT_THAT(seen, ::testing::ElementsAre(0.5f, 1.5f, 2.5f));
}

TEST(Steps, ANullPointerHasNothingBehindIt) {
  KernelSpec spec = scale_spec();
  spec.arguments.push_back({"mask", NullArgument{}, {"spec.toml", 13, 1}});
  Problem problem(spec, scale);
  problem.device.add_kernel("scale", 4, [](const fakes::FakeLaunch& launch) {
    EXPECT_EQ(launch.arguments()[3].bytes.data(), nullptr);
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

}  // namespace
}  // namespace wattune::tune
