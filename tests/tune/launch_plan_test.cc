#include "tune/interface/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Configuration configuration(std::vector<std::pair<std::string, Value>> values) {
  std::vector<std::string> names;
  std::vector<Value> numbers;
  for (auto& [name, value] : values) {
    names.push_back(name);
    numbers.push_back(value);
  }
  return Configuration(0, std::make_shared<const std::vector<std::string>>(names), numbers);
}

// Returns a spec with parameters bx and by, and a problem of 100 x 60.
KernelSpec grid_spec() {
  KernelSpec spec;
  spec.problem_size = {{"width", 100}, {"height", 60}};
  spec.parameters = {{"bx", {1}, {}, {}}, {"by", {1}, {}, {}}};
  return spec;
}

Result<LaunchPlan> compile(const KernelSpec& spec) {
  return LaunchPlan::compile(spec, launches_of(spec),
                             std::make_shared<const Names>(spec.problem_size, spec.parameters));
}

Result<Launch> launch(const KernelSpec& spec, int bx, int by) {
  WATTUNE_ASSIGN(const LaunchPlan plan, compile(spec));
  return plan.evaluate(configuration({{"bx", bx}, {"by", by}}));
}

TEST(LaunchPlan, OpenclSizesAreWorkItems) {
  KernelSpec spec = grid_spec();
  spec.geometry.sizes = {at_line("width", 1), at_line("height", 2), {}};
  spec.geometry.work_group = {at_line("bx", 3), at_line("by", 4), {}};
  const auto result = launch(spec, 25, 6);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_THAT(result->steps.at(0).geometry.groups, ElementsAre(4, 10, 1));
  EXPECT_THAT(result->steps.at(0).geometry.group_size, ElementsAre(25, 6, 1));
}

TEST(LaunchPlan, OpenclSizesMustBeMultiplesOfTheWorkGroup) {
  KernelSpec spec = grid_spec();
  spec.geometry.sizes[0] = at_line("width", 1);
  spec.geometry.work_group[0] = at_line("bx", 3);
  const auto result = launch(spec, 32, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_string(), "spec.toml:1:1: the global size 100 is not a multiple of the work-group's 32");
}

TEST(LaunchPlan, EvaluatesClusters) {
  KernelSpec spec = grid_spec();
  spec.geometry.convention = GeometryConvention::cuda;
  spec.geometry.cluster = {at_line("bx // 2", 1), {}, {}};
  spec.geometry.cooperative = true;
  const auto result = launch(spec, 8, 1);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_THAT(result->steps.at(0).geometry.cluster, ElementsAre(4, 1, 1));
  EXPECT_TRUE(result->steps.at(0).geometry.cooperative);
  EXPECT_FALSE(launch(spec, 1, 1)) << "a cluster of 0";
}

TEST(LaunchPlan, CudaSizesAreTheGrid) {
  KernelSpec spec = grid_spec();
  spec.geometry.convention = GeometryConvention::cuda;
  spec.geometry.sizes[0] = at_line("width // bx + 1", 1);
  spec.geometry.work_group[0] = at_line("bx", 3);
  const auto result = launch(spec, 32, 1);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->steps.at(0).geometry.groups, ElementsAre(4, 1, 1));
  EXPECT_THAT(result->steps.at(0).geometry.group_size, ElementsAre(32, 1, 1));
}

// The numbers of work-groups are ceil(100 / (32 * 2)) = 2 and ceil(60 / 60) = 1.
TEST(LaunchPlan, DividedSizesAreRoundedUp) {
  KernelSpec spec = grid_spec();
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes = {at_line("width", 1), at_line("height", 1), {}};
  spec.geometry.divisors = {std::vector{at_line("bx", 5), at_line("by", 5)}, std::vector{at_line("60", 6)}, {}};
  const auto result = launch(spec, 32, 2);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->steps.at(0).geometry.groups, ElementsAre(2, 1, 1));
}

TEST(LaunchPlan, ProblemExtentsHaveThreeNames) {
  KernelSpec spec = grid_spec();
  spec.geometry.convention = GeometryConvention::cuda;
  spec.geometry.sizes = {at_line("width", 1), at_line("problem_size_y", 1), at_line("ProblemSize[0]", 1)};
  const auto result = launch(spec, 1, 1);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_THAT(result->steps.at(0).geometry.groups, ElementsAre(100, 60, 100));
}

TEST(LaunchPlan, AnUnknownNameIsFoundAtOnce) {
  KernelSpec spec = grid_spec();
  spec.geometry.work_group[0] = at_line("widt * 2", 7);
  const auto plan = compile(spec);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code(), ErrorCode::not_found);
  EXPECT_THAT(plan.error().to_string(), HasSubstr("spec.toml:7:1: unknown name `widt`"));
  EXPECT_THAT(plan.error().to_string(), HasSubstr("did you mean `width`?"));
}

TEST(LaunchPlan, MistakesWithoutParametersAreFoundAtOnce) {
  KernelSpec spec = grid_spec();
  spec.geometry.sizes[0] = at_line("width // 0", 8);
  EXPECT_FALSE(compile(spec));
  spec.geometry.sizes[0] = at_line("width - 100", 8);
  EXPECT_FALSE(compile(spec));
  spec.geometry.sizes[0] = at_line("width", 8);
  spec.geometry.work_group[0] = at_line("64", 8);
  EXPECT_FALSE(compile(spec));
}

TEST(LaunchPlan, WhatDependsOnTheConfigurationFailsThere) {
  KernelSpec spec = grid_spec();
  spec.geometry.sizes[0] = at_line("width // (bx - 1)", 8);
  EXPECT_TRUE(compile(spec));
  EXPECT_FALSE(launch(spec, 1, 1));
  EXPECT_TRUE(launch(spec, 2, 1));
}

TEST(LaunchPlan, ArgumentsHaveSizesAndValues) {
  KernelSpec spec = grid_spec();
  VectorArgument vector;
  vector.vector_width = 4;
  vector.length = at_line("width * bx", 1);
  spec.arguments = {{"v", vector, {}},
                    {"s", ScalarArgument{ElementType::int16, at_line("bx + 1", 2)}, {}},
                    {"l", LocalArgument{ElementType::float64, at_line("bx * by", 3)}, {}}};
  const auto result = launch(spec, 3, 2);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_EQ(std::get<PlannedBuffer>(result->arguments[0]).length, 300u);
  EXPECT_EQ(std::get<PlannedBuffer>(result->arguments[0]).bytes, 4800u);
  EXPECT_THAT(std::get<backend::ScalarBytes>(result->arguments[1]).bytes, ElementsAre(std::byte{4}, std::byte{0}));
  EXPECT_EQ(std::get<backend::LocalBytes>(result->arguments[2]).bytes, 48u);
  EXPECT_FALSE(compile(spec)->has_fixed_length(0));
  EXPECT_TRUE(compile(spec)->has_fixed_length(1));
}

TEST(LaunchPlan, AStructIsLaidOutAsTheCompilerDoes) {
  struct InC {
    std::int8_t a;
    std::int32_t b;
    std::int16_t c;
    double d;
    std::uint16_t e;
  };
  const auto field = [](ElementType type, const char* value) { return StructField{"f", {type, at_line(value, 3)}}; };
  KernelSpec spec = grid_spec();
  spec.arguments = {{"s",
                     StructArgument{{field(ElementType::int8, "bx"), field(ElementType::int32, "bx * 1000"),
                                     field(ElementType::int16, "-by"), field(ElementType::float64, "width / 8"),
                                     field(ElementType::bfloat16, "1")}},
                     {}}};
  const auto result = launch(spec, 7, 3);
  ASSERT_TRUE(result) << result.error().to_string();
  const std::vector<std::byte>& bytes = std::get<backend::ScalarBytes>(result->arguments[0]).bytes;
  ASSERT_EQ(bytes.size(), sizeof(InC));
  InC got;
  std::memcpy(&got, bytes.data(), sizeof(InC));
  EXPECT_EQ(got.a, 7);
  EXPECT_EQ(got.b, 7000);
  EXPECT_EQ(got.c, -3);
  EXPECT_EQ(got.d, 12.5);
  EXPECT_EQ(got.e, 0x3f80);  // the upper half of 1.0f
}

TEST(LaunchPlan, UnusedLocalMemoryHasOneElement) {
  KernelSpec spec = grid_spec();
  spec.arguments = {{"l", LocalArgument{ElementType::float32, at_line("bx - 1", 3)}, {}}};
  EXPECT_EQ(std::get<backend::LocalBytes>(launch(spec, 1, 1)->arguments[0]).bytes, 4u);
}

TEST(LaunchPlan, AScalarMustFitItsType) {
  KernelSpec spec = grid_spec();
  spec.arguments = {{"s", ScalarArgument{ElementType::int32, at_line("width / 3", 2)}, {}}};
  const auto plan = compile(spec);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().to_string(), HasSubstr("spec.toml:2:1: argument `s`: 33.33"));
  spec.arguments = {{"s", ScalarArgument{ElementType::int8, at_line("bx * 100", 2)}, {}}};
  EXPECT_TRUE(launch(spec, 1, 1));
  EXPECT_FALSE(launch(spec, 2, 1));
}

TEST(LaunchPlan, MacrosAreDefinedForEveryParameterThatIsCode) {
  const std::vector<Parameter> parameters = {{"T", {"float4"}, {}, {}},
                                             {"blocks", {4}, {}, {}, ParameterRole::launch},
                                             {"mhz", {1410}, {}, {}, ParameterRole::graphics_clock}};
  const auto macros =
      macros_of(parameters, configuration({{"T", "float4"}, {"blocks", 4}, {"PAD", true}, {"mhz", 1410}, {"F", 0.5}}));
  ASSERT_EQ(macros.size(), 3u);
  EXPECT_EQ(macros[0].name, "T");
  EXPECT_EQ(macros[0].value, "float4");
  EXPECT_EQ(macros[1].value, "1");
  EXPECT_EQ(macros[2].value, "0.5");
}

// Returns a spec with the arguments a, b and c, which `first` and `second` share.
KernelSpec two_steps() {
  KernelSpec spec = grid_spec();
  for (const char* name : {"a", "b", "c"})
    spec.arguments.push_back({name, ScalarArgument{ElementType::int32, at_line("1", 1)}, {}});
  Geometry small;
  small.convention = GeometryConvention::cuda;
  Geometry large = small;
  large.sizes[0] = at_line("width // bx", 2);
  spec.source.function = "first";
  spec.steps = {{"", {0, 2}, small, at_line("by == 1", 3)}, {"second", {2, 1}, large, {}}};
  return spec;
}

TEST(LaunchPlan, LaunchesTheStepsWhoseConditionsHold) {
  const Launch both = launch(two_steps(), 25, 1).value();
  ASSERT_EQ(both.steps.size(), 2u);
  EXPECT_EQ(both.steps[0].function, "first");
  EXPECT_THAT(both.steps[0].arguments, ElementsAre(0, 2));
  EXPECT_THAT(both.steps[1].geometry.groups, ElementsAre(4, 1, 1));
  const Launch one = launch(two_steps(), 25, 2).value();
  ASSERT_EQ(one.steps.size(), 1u);
  EXPECT_EQ(one.steps[0].function, "second");
  EXPECT_EQ(one.arguments.size(), 3u);
}

TEST(LaunchPlan, RepeatsLaunches) {
  KernelSpec spec = two_steps();
  spec.steps[1].repeat = at_line("bx // 10", 4);
  EXPECT_EQ(launch(spec, 25, 1)->steps[0].repeat, 1u);
  EXPECT_EQ(launch(spec, 25, 1)->steps[1].repeat, 2u);
  EXPECT_EQ(launch(spec, 9, 1)->steps.size(), 1u);  // 0 times
  spec.steps[1].repeat = at_line("100001", 4);      // whatever the configuration
  EXPECT_EQ(launch(spec, 25, 1).error().to_string(),
            "spec.toml:4:1: a launch is repeated up to 100000 times, not 100001: `100001`");
}

TEST(LaunchPlan, RefusesConfigurationsThatLaunchNothing) {
  KernelSpec spec = two_steps();
  spec.steps.pop_back();
  EXPECT_EQ(launch(spec, 1, 2).error().to_string(), "nothing is launched: `when` holds for no launch");
}

TEST(LaunchedFunctions, AreNamedOnce) {
  KernelSpec spec = two_steps();
  spec.steps.push_back(spec.steps.back());
  EXPECT_THAT(launched_functions(spec, configuration({{"bx", 1}, {"by", 1}})).value(), ElementsAre("first", "second"));
  EXPECT_THAT(launched_functions(spec, configuration({{"bx", 1}, {"by", 2}})).value(), ElementsAre("second"));
}

TEST(LaunchedSource, NamesTheOtherFunctionsOfAllLaunchesOnce) {
  KernelSpec spec = two_steps();
  spec.steps.push_back(spec.steps.back());
  spec.steps.back().function = "third<bx>";
  spec.steps.push_back(spec.steps[1]);
  EXPECT_EQ(launched_source(spec).function, "first");
  EXPECT_THAT(launched_source(spec).other_functions, ElementsAre("second", "third<bx>"));
}

TEST(LimitExceeded, KnowsTheDevicesLimits) {
  DeviceInfo device;
  device.max_work_group_size = 256;
  device.max_work_item_sizes = {256, 256, 64};
  device.local_memory_bytes = 100;
  device.max_allocation_bytes = 1000;
  Launch launch;
  launch.steps = {{"small", {}, {}}, {"large", {0, 1}, {}}};
  launch.steps[1].geometry.group_size = {16, 16, 1};
  launch.arguments = {backend::LocalBytes{60}, backend::LocalBytes{40}, PlannedBuffer{1000, 1000}};
  EXPECT_EQ(limit_exceeded(launch, device), "");
  launch.steps[1].geometry.group_size = {1, 1, 65};
  EXPECT_EQ(limit_exceeded(launch, device), "a work-group of 65 in z, the device allows 64");
  launch.steps[1].geometry.group_size = {16, 17, 1};
  EXPECT_EQ(limit_exceeded(launch, device), "a work-group of 272 work-items, the device allows 256");
  launch.steps[1].geometry.group_size = {1, 1, 1};
  launch.arguments[1] = backend::LocalBytes{41};
  EXPECT_EQ(limit_exceeded(launch, device), "101 bytes of local memory, the device has 100");
  launch.arguments[2] = PlannedBuffer{1001, 1001};
  EXPECT_EQ(limit_exceeded(launch, device), "a buffer of 1001 bytes, the device allows 1000");
  EXPECT_EQ(limit_exceeded(launch, DeviceInfo{}), "");
}

}  // namespace
}  // namespace wattune::tune
