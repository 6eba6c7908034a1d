// Series of launches: indices, groups, values of their own, and buffers that change places.
#include "tune/evaluate/step_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tune/interface/launch_plan.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Geometry groups(const std::string& count) {
  Geometry geometry;
  geometry.convention = GeometryConvention::cuda;
  geometry.sizes[0] = at_line(count, 30);
  return geometry;
}

// Returns a launch of `function` on all of a, b, c (buffers) and k (a scalar).
LaunchStep single(const std::string& function, const std::string& count = "1") {
  LaunchStep step;
  step.function = function;
  step.arguments = {0, 1, 2, 3};
  step.geometry = groups(count);
  return step;
}

LaunchStep series(const std::string& repeat, const std::string& index, std::vector<LaunchStep> group) {
  LaunchStep step;
  step.repeat = at_line(repeat, 40);
  step.index = index;
  step.group = std::move(group);
  return step;
}

// Returns a spec with buffers of 10 elements each, and a parameter `tile`.
KernelSpec spec_of(std::vector<LaunchStep> steps) {
  KernelSpec spec;
  spec.problem_size = {{"n", 10}};
  for (const char* name : {"a", "b", "c"}) spec.arguments.push_back(vector_argument(name, ArgumentAccess::read_write));
  spec.arguments.push_back({"k", ScalarArgument{ElementType::int32, at_line("-1", 12)}, {}});
  spec.parameters = {{"tile", {1, 2, 3, 4, 5}, {}, {}}};
  spec.steps = std::move(steps);
  return spec;
}

Result<Launch> plan(const KernelSpec& spec, int tile = 2) {
  const auto names = std::make_shared<const Names>(spec.problem_size, spec.parameters);
  WATTUNE_ASSIGN(const LaunchPlan compiled, LaunchPlan::compile(spec, launches_of(spec), names));
  const auto parameters = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"tile"});
  return compiled.evaluate(Configuration(0, parameters, {tile}));
}

// Returns "function*groups" of each launch.
std::vector<std::string> words(const Result<Launch>& launch) {
  std::vector<std::string> result;
  for (const PlannedStep& step : launch.value().steps)
    result.push_back(step.function + "*" + std::to_string(step.geometry.groups[0]));
  return result;
}

int value_of_k(const PlannedStep& step) {
  int k = 0;
  std::memcpy(&k, step.values.at(0).bytes.bytes.data(), sizeof k);
  return k;
}

TEST(StepPlan, CountsItsRepetitionsInItsExpressions) {
  LaunchStep step = single("wave", "index + tile");
  step.repeat = at_line("tile + 1", 40);
  step.index = "index";
  EXPECT_THAT(words(plan(spec_of({step}))), ElementsAre("wave*2", "wave*3", "wave*4"));
}

TEST(StepPlan, RepeatsGroupsInOrder) {
  const LaunchStep group = series("2", "i", {single("first", "i + 1"), single("second", "2 - i")});
  EXPECT_THAT(words(plan(spec_of({single("before"), group, single("after")}))),
              ElementsAre("before*1", "first*1", "second*2", "first*2", "second*1", "after*1"));
}

// The launches form a triangle: the inner series is as long as the outer index, so that it is empty at first.
TEST(StepPlan, AnInnerSeriesReadsTheOuterIndex) {
  const LaunchStep inner = series("i", "j", {single("f", "10 * i + j + 1")});
  EXPECT_THAT(words(plan(spec_of({series("3", "i", {inner})}))), ElementsAre("f*11", "f*21", "f*22"));
}

TEST(StepPlan, LeavesOutTheRepetitionsWhoseConditionFails) {
  LaunchStep step = single("odd", "i");
  step.repeat = at_line("5", 40);
  step.index = "i";
  step.condition = at_line("i % 2 == 1", 41);
  EXPECT_THAT(words(plan(spec_of({step}))), ElementsAre("odd*1", "odd*3"));
}

TEST(StepPlan, WhatIsNotLaunchedIsNotAskedHowOften) {
  LaunchStep step = single("never");
  step.condition = at_line("tile > 2", 41);
  step.repeat = at_line("10 // (tile - 2)", 42);  // a division by zero
  EXPECT_THAT(words(plan(spec_of({single("always"), step}))), ElementsAre("always*1"));
}

TEST(StepPlan, GivesScalarsValuesOfTheirOwn) {
  LaunchStep step = single("f");
  step.repeat = at_line("3", 40);
  step.index = "i";
  step.values = {{3, at_line("i * tile", 43)}};
  const Launch launch = plan(spec_of({step})).value();
  ASSERT_THAT(launch.steps, SizeIs(3));
  EXPECT_EQ(value_of_k(launch.steps[0]), 0);
  EXPECT_EQ(value_of_k(launch.steps[1]), 2);
  EXPECT_EQ(value_of_k(launch.steps[2]), 4);
  step.values = {{3, at_line("i * 1e10", 43)}};
  EXPECT_EQ(plan(spec_of({step})).error().to_string(),
            "spec.toml:43:1: 10000000000.0 does not fit int32: `i * 1e10` (int32 holds -2147483648 to 2147483647)");
}

TEST(StepPlan, BuffersChangePlacesAfterEachRepetition) {
  LaunchStep step = single("f");
  step.repeat = at_line("tile", 40);
  step.swaps = {{0, 1}};
  const Launch even = plan(spec_of({step}), 2).value();
  ASSERT_THAT(even.steps, SizeIs(2));
  EXPECT_THAT(even.steps[0].arguments, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(even.steps[1].arguments, ElementsAre(1, 0, 2, 3));
  EXPECT_EQ(holder_of(even, 0), 0u);
  const Launch odd = plan(spec_of({step}), 3).value();
  EXPECT_THAT(odd.steps[2].arguments, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(holder_of(odd, 0), 1u);
  EXPECT_EQ(holder_of(odd, 1), 0u);
  EXPECT_EQ(holder_of(odd, 2), 2u);
}

// The buffers are like the three time levels of a wave: the oldest is written next.
TEST(StepPlan, ThreeBuffersGoRound) {
  LaunchStep step = single("f");
  step.repeat = at_line("2", 40);
  step.swaps = {{0, 1, 2}};
  const Launch launch = plan(spec_of({step})).value();
  EXPECT_THAT(launch.steps[1].arguments, ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(launch.holders, ElementsAre(2, 0, 1, 3));
}

TEST(StepPlan, ARepetitionThatIsLeftOutChangesNoPlaces) {
  LaunchStep step = single("f");
  step.repeat = at_line("2", 40);
  step.index = "i";
  step.condition = at_line("i == 1", 41);
  step.swaps = {{0, 1}};
  EXPECT_THAT(plan(spec_of({step}))->holders, ElementsAre(1, 0, 2, 3));
}

TEST(StepPlan, BuffersThatChangePlacesHaveOneLength) {
  LaunchStep step = single("f");
  step.swaps = {{0, 1}};
  KernelSpec spec = spec_of({step});
  std::get<VectorArgument>(spec.arguments[1].kind).length = at_line("n + tile", 11);
  EXPECT_EQ(plan(spec).error().to_string(), "`a` and `b` change places, but have 10 and 12 elements");
}

TEST(StepPlan, LimitsTheLaunchesOfARun) {
  const LaunchStep inner = series("400", "", {single("f")});
  EXPECT_EQ(plan(spec_of({series("400", "", {inner})})).error().to_string(),
            "spec.toml:40:1: a run has up to 100000 launches and repetitions of groups: `400`");
  LaunchStep often = single("f");
  often.repeat = at_line("100001", 44);
  EXPECT_EQ(plan(spec_of({often})).error().to_string(),
            "spec.toml:44:1: a launch is repeated up to 100000 times, not 100001: `100001`");
}

TEST(StepPlan, NamesWhatItsGroupsLaunchOnce) {
  const KernelSpec spec = spec_of({series("2", "i", {single("first"), single("second")}), single("first")});
  const auto parameters = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"tile"});
  EXPECT_THAT(launched_functions(spec, Configuration(0, parameters, {2})).value(), ElementsAre("first", "second"));
  EXPECT_THAT(launched_source(spec).other_functions, ElementsAre("first", "second"));
}

TEST(StepPlan, AnUnknownNameIsNoIndex) {
  EXPECT_EQ(plan(spec_of({series("i", "i", {single("f")})})).error().message(), "unknown name `i`");
}

}  // namespace
}  // namespace wattune::tune
