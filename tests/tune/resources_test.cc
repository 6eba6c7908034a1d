#include "tune/evaluate/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::HasSubstr;

KernelSpec constrained(const std::string& constraint) {
  KernelSpec spec = scale_spec();
  spec.resource_constraints = {at_line(constraint, 50)};
  return spec;
}

// Returns the resources of a kernel that takes four registers per work-item of its group; the rest is unknown.
backend::KernelResources four_per_item(const fakes::Macros&, std::size_t group_size) {
  backend::KernelResources resources;
  resources.registers = static_cast<unsigned>(4 * group_size);
  return resources;
}

TEST(Resources, AKernelThatTakesTooMuchIsNotLaunched) {
  int launches = 0;
  Problem problem(constrained("registers <= 4 * 16 and n > 0"), [&](const fakes::FakeLaunch& launch) {
    ++launches;
    return scale(launch);
  });
  problem.device.on_resources(four_per_item);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(16, 0)->status, Status::correct);
  launches = 0;
  const Observation observation = problem.evaluate(64, 0).value();
  EXPECT_EQ(observation.status, Status::constraints);
  EXPECT_THAT(observation.message, HasSubstr("`registers <= 4 * 16 and n > 0` does not hold: registers = 256"));
  EXPECT_EQ(launches, 0);
}

TEST(Resources, WhatIsNotToldExcludesNothing) {
  Problem problem(constrained("spills == 0"));
  problem.device.on_resources(four_per_item);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(16, 0)->status, Status::correct);
}

TEST(Resources, AConstraintThatCannotBeEvaluatedFailsTheConfiguration) {
  Problem problem(constrained("1 / (registers - 64) < 1"));
  problem.device.on_resources(four_per_item);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(16, 0)->status, Status::constraints);
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

TEST(Resources, AnUnknownNameIsFoundAtTheStart) {
  Problem problem(constrained("registres <= 64"));
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().to_string(), HasSubstr("spec.toml:50"));
  EXPECT_THAT(started.error().to_string(), HasSubstr("registers"));
}

TEST(Resources, MetricsMayReadThem) {
  KernelSpec spec = scale_spec();
  spec.metrics = {{"pressure", at_line("registers * block", 40)}, {"unknown", at_line("spills + 1", 41)}};
  spec.objectives = {{"registers", false}};
  Problem problem(spec);
  problem.device.on_resources(four_per_item);
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  ASSERT_EQ(observation.metrics.size(), 2u);  // `unknown` reads what is not told
  EXPECT_EQ(observation.metrics[1], (Metric{"pressure", 1024.0, ""}));
  EXPECT_EQ(observation.objective(), 64.0);
}

TEST(Resources, AnObjectiveThatIsNotToldFailsTheConfiguration) {
  KernelSpec spec = scale_spec();
  spec.objectives = {{"registers", false}};
  Problem problem(spec);
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_EQ(observation.status, Status::constraints);
  EXPECT_THAT(observation.message, HasSubstr("registers"));
}

}  // namespace
}  // namespace wattune::tune
