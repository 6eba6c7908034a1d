// Values, texts and constraints that functions of the caller's make of a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"
#include "tune/interface/describe_run.h"
#include "tune/problem.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a value `half` that is half the parameter `block`.
ComputedValue half_a_block() {
  return {.name = "half", .description = "block / 2", .function = [](const Configuration& configuration) {
            return Result<Value>(Value(configuration.find("block")->as_integer() / 2));
          }};
}

// Returns a writer whose text names the kernel and the parameter `block`.
SourceWriter writer_of_blocks() {
  return {.description = "a line for each block", .function = [](const Configuration& configuration) {
            return Result<std::string>("kernel void scale() // block " + configuration.find("block")->to_string());
          }};
}

// Returns a kernel that computes `scale` and notes how it is launched.
fakes::FakeKernelFunction noting(std::vector<std::size_t>& groups, std::vector<double>& macros) {
  return [&](const fakes::FakeLaunch& launch) {
    groups.push_back(launch.geometry().group_size[0]);
    macros.push_back(launch.macro("half"));
    return scale(launch);
  };
}

TEST(ByConfiguration, TheGeometryReadsAComputedValue) {
  std::vector<std::size_t> groups;
  std::vector<double> macros;
  Problem problem(scale_spec(), noting(groups, macros));
  problem.spec.geometry.work_group[0] = at_line("half", 21);
  ASSERT_TRUE(problem.start({.computed = {half_a_block()}}));
  EXPECT_EQ(problem.evaluate(64, 0).value().status, Status::correct);
  EXPECT_EQ(groups.front(), 4u) << "the default configuration, whose block is 8";
  EXPECT_EQ(groups.back(), 32u);
  EXPECT_TRUE(std::isnan(macros.back())) << "it is no macro";
}

TEST(ByConfiguration, ScalarsAndLengthsReadComputedValues) {
  KernelSpec spec = scale_spec();
  spec.arguments[2] = {"factor", ScalarArgument{ElementType::float32, at_line("half - half + 3", 12)}, {}};
  std::get<VectorArgument>(spec.arguments[1].kind).length = at_line("n + 2 * half", 10);
  std::size_t elements = 0;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    elements = launch.elements<float>(1).size();
    for (float& y : launch.elements<float>(0)) y = launch.scalar<float>(2);
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start({.computed = {half_a_block()}}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_TRUE(observation.verified) << observation.message;
  EXPECT_EQ(elements, 80u);
}

TEST(ByConfiguration, AComputedMacroReachesTheCompiler) {
  std::vector<std::size_t> groups;
  std::vector<double> macros;
  Problem problem(scale_spec(), noting(groups, macros));
  ComputedValue half = half_a_block();
  half.is_macro = true;
  ASSERT_TRUE(problem.start({.computed = {half}}));
  ASSERT_TRUE(problem.evaluate(16, 0));
  EXPECT_EQ(macros.back(), 8.0);
}

TEST(ByConfiguration, AValueThatCannotBeComputedIsAFailureOfItsConfiguration) {
  Problem problem;
  ComputedValue half = half_a_block();
  half.function = [](const Configuration& configuration) -> Result<Value> {
    if (*configuration.find("block") == Value(16)) return Error(ErrorCode::invalid_argument, "16 is too odd");
    return Value(1);
  };
  ASSERT_TRUE(problem.start({.computed = {half}}));
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_EQ(observation.status, Status::constraints);
  EXPECT_EQ(observation.message, "computed value `half`: 16 is too odd");
  EXPECT_EQ(problem.evaluate(8, 0).value().status, Status::correct);
}

TEST(ByConfiguration, FunctionsAreAskedOnceForEachConfiguration) {
  std::vector<std::string> asked;
  const auto note = [&asked](const char* what, const Configuration& configuration) {
    asked.push_back(std::string(what) + configuration.find("block")->to_string());
  };
  ComputedValue half = half_a_block();
  half.function = [&, compute = half.function](const Configuration& configuration) {
    note("value of ", configuration);
    return compute(configuration);
  };
  SourceWriter writer = writer_of_blocks();
  writer.function = [&, write = writer.function](const Configuration& configuration) {
    note("text of ", configuration);
    return write(configuration);
  };
  Problem problem;
  ASSERT_TRUE(problem.start({.computed = {half}, .writer = writer}));
  ASSERT_TRUE(problem.evaluate(16, 0));
  ASSERT_TRUE(problem.evaluate(16, 0));
  EXPECT_THAT(asked, ElementsAre("value of 8", "text of 8", "value of 16", "text of 16"));
}

TEST(ByConfiguration, RefusesAValueWithoutANameOfItsOwnOrAFunction) {
  const auto refused = [](const std::string& name, bool has_function) {
    ComputedValue value = half_a_block();
    value.name = name;
    if (!has_function) value.function = nullptr;
    Problem problem;
    const Result<void> started = problem.start({.computed = {half_a_block(), value}});
    return started ? std::string() : started.error().to_string();
  };
  EXPECT_THAT(refused("block", true), HasSubstr("the name of a computed value is taken: `block`"));
  EXPECT_THAT(refused("n", true), HasSubstr("is taken"));
  EXPECT_THAT(refused("half", true), HasSubstr("is taken"));
  EXPECT_THAT(refused("", true), HasSubstr("a computed value has no name"));
  EXPECT_THAT(refused("other", false), HasSubstr("a computed value has no function: `other`"));
  EXPECT_EQ(refused("other", true), "");
}

TEST(ByConfiguration, EachConfigurationIsCompiledFromItsOwnText) {
  Problem problem;
  std::vector<std::string> texts;
  problem.device.on_build([&](const KernelSource& source, const fakes::Macros&) {
    texts.push_back(source.text);
    return Result<fakes::FakeCompilation>(fakes::FakeCompilation());
  });
  ASSERT_TRUE(problem.start({.writer = writer_of_blocks()}));
  EXPECT_EQ(problem.evaluate(16, 0).value().status, Status::correct);
  EXPECT_THAT(texts, ElementsAre("kernel void scale() // block 8", "kernel void scale() // block 16"));
}

TEST(ByConfiguration, ATextThatCannotBeWrittenIsAFailureToCompile) {
  Problem problem;
  SourceWriter writer = writer_of_blocks();
  writer.function = [write = writer.function](const Configuration& configuration) -> Result<std::string> {
    if (*configuration.find("block") == Value(16)) return Error(ErrorCode::internal, "no template for 16");
    if (*configuration.find("block") == Value(64)) return std::string();
    return write(configuration);
  };
  ASSERT_TRUE(problem.start({.writer = writer}));
  const Observation unwritten = problem.evaluate(16, 0).value();
  EXPECT_EQ(unwritten.status, Status::compile);
  EXPECT_THAT(unwritten.message, HasSubstr("no template for 16"));
  EXPECT_THAT(problem.evaluate(64, 0).value().message, HasSubstr("the text of the source is empty"));
  EXPECT_EQ(problem.evaluate(8, 1).value().status, Status::correct);
}

TEST(ByConfiguration, DescriptionsArePartsOfTheIdentity) {
  EvaluatorOptions options{.computed = {half_a_block()}, .writer = writer_of_blocks()};
  const auto policy = quick_policy();
  Identity identity = measuring_identity(options, *policy);
  EXPECT_EQ(identity.at("computed half"), "block / 2");
  EXPECT_EQ(identity.at("source written by"), "a line for each block");
  options.computed[0].is_macro = true;
  identity = measuring_identity(options, *policy);
  EXPECT_EQ(identity.at("computed macro half"), "block / 2");
  EXPECT_FALSE(identity.contains("computed half"));
}

space::Predicate at_most(std::int64_t most) {
  return {.names = {"block"},
          .holds = [most](std::span<const Value> values) { return values[0].as_integer() <= most; },
          .description = "block is at most " + std::to_string(most)};
}

// Returns a spec of y *= 3 over 64 floats, as the fake worker's kernel `scale` computes it.
KernelSpec doubling_spec() {
  KernelSpec spec = scale_spec();
  spec.arguments = {vector_argument("y", ArgumentAccess::read_write, FillIota{}), spec.arguments[2]};
  spec.parameters = {{"block", {8, 16, 64}, {}, {}}};
  return spec;
}

SessionOptions fake_session() {
  SessionOptions options;
  options.evaluation.where.worker.executable = test::program("wattune-fake-worker");
  options.sampling.warm_up = Nanoseconds();
  options.compile_processes = 1;
  options.shoot_out.finalists = 0;
  return options;
}

TEST(ByConfiguration, APlanHasConstraintsByFunctions) {
  const auto all = plan_search(doubling_spec()).value();
  const auto task = plan_search(doubling_spec(), {.predicates = {at_most(16)}}).value();
  EXPECT_EQ(task->space.count(), 2u);
  EXPECT_NE(task->space.content_hash(), all->space.content_hash());
  KernelSpec unknown = doubling_spec();
  unknown.parameters[0].name = "blocks";
  const auto refused = plan_search(unknown, {.predicates = {at_most(16)}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), AllOf(HasSubstr("block"), HasSubstr("blocks")));
}

TEST(ByConfiguration, ConstraintsOnClocksByFunctionsGoWithThem) {
  KernelSpec spec = doubling_spec();
  spec.parameters.push_back({"clock", {1000, 1500}, {}, {}, ParameterRole::graphics_clock});
  space::Predicate on_clock = at_most(8);
  on_clock.names = {"clock"};
  SessionOptions options{.predicates = {at_most(16), on_clock}};
  options.clocks = Clocks::current;
  const auto task = plan_search(spec, options);
  ASSERT_TRUE(task) << task.error().to_string();
  EXPECT_EQ((*task)->space.count(), 2u);
}

TEST(ByConfiguration, ASessionTakesAllOfThemAndDescribesThem) {
  SessionOptions options = fake_session();
  options.predicates = {at_most(16)};
  options.evaluation.computed = {half_a_block()};
  options.evaluation.writer = writer_of_blocks();
  KernelSpec spec = doubling_spec();
  spec.source.text = "nothing that could be compiled";
  spec.geometry.work_group[0] = at_line("half", 21);
  const auto session = open(spec, options);
  ASSERT_TRUE(session) << session.error().to_string();
  const TuningResult result = (*session)->run().value();
  EXPECT_EQ(result.by_status, (std::map<Status, std::uint64_t>{{Status::correct, 2}}));
  const RunInfo info = (*session)->describe();
  EXPECT_THAT(info.constraints, ElementsAre("block is at most 16"));
  EXPECT_THAT(info.identity, Contains(std::pair<const std::string, std::string>("computed half", "block / 2")));
}

}  // namespace
}  // namespace wattune::tune
