#include "wattune/tune/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/interface/second_try.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

ReferenceKernel reference_kernel() {
  ReferenceKernel reference;
  reference.source.function = "plain";
  reference.source.text = "kernel void plain()";
  reference.geometry.sizes[0] = at_line("n", 30);
  return reference;
}

// A problem that is checked, whose `scale` is right in mode 0 and does `misbehave` in mode 1.
struct CheckedProblem : Problem {
  explicit CheckedProblem(fakes::FakeKernelFunction misbehave)
      : Problem(scale_spec(), [misbehave](const fakes::FakeLaunch& launch) {
          return launch.macro("mode") == 1 ? misbehave(launch) : scale(launch);
        }) {
    spec.reference = reference_kernel();
    device.add_kernel("plain", 3, scale);
    const auto started = start();
    EXPECT_TRUE(started) << started.error().to_string();
  }

  // Expects that a configuration before mode 1 and one after it are measured and correct; returns what mode 1 shows.
  Observation misbehave_between_good_ones() {
    EXPECT_EQ(evaluate(8, 0).value().status, Status::correct);
    const Observation observation = evaluate(16, 1).value();
    const Observation after = evaluate(64, 0).value();
    EXPECT_EQ(after.status, Status::correct) << after.message;
    EXPECT_TRUE(after.verified);
    return observation;
  }
};

TEST(Evaluator, MeasuresAGoodConfiguration) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(8, 0).value();
  EXPECT_EQ(observation.status, Status::correct) << observation.message;
  EXPECT_TRUE(observation.verified) << "compared with the default configuration";
  EXPECT_THAT(observation.samples, Each(Sample{Nanoseconds(1000)}));
  EXPECT_EQ(observation.objective(), 1000.0);
  EXPECT_GT(observation.phases.compile, Nanoseconds(0));
  EXPECT_GT(observation.phases.check, Nanoseconds(0));
  EXPECT_GT(observation.phases.measure, Nanoseconds(0));
}

TEST(Evaluator, PassesGeometryAndMacros) {
  backend::Geometry3 geometry;
  fakes::Macros macros;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) {
    geometry = launch.geometry();
    macros = launch.macros();
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(16, 7));
  EXPECT_EQ(geometry, (backend::Geometry3{{4, 1, 1}, {16, 1, 1}}));
  EXPECT_EQ(macros, (fakes::Macros{{"block", "16"}, {"mode", "7"}}));
}

TEST(Evaluator, UploadsInputsOnce) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0));
  ASSERT_TRUE(problem.evaluate(16, 0));
  EXPECT_EQ(problem.device.counters().bytes_written, 64 * sizeof(float));
}

TEST(Evaluator, KeepsTheBuildLogOnSuccess) {
  Problem problem;
  problem.device.on_build([](const KernelSource&, const fakes::Macros&) {
    return fakes::FakeCompilation{"warning: unused", {}};
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->build_log, "warning: unused");
}

TEST(Evaluator, OutputsArePoisonedBeforeTheCheckedRunOnly) {
  std::vector<bool> poisoned;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) {
    poisoned.push_back(
        std::ranges::all_of(launch.arguments()[0].bytes, [](std::byte b) { return b == std::byte{0xFF}; }));
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  poisoned.clear();  // of the default configuration
  ASSERT_TRUE(problem.evaluate(8, 0));
  ASSERT_TRUE(problem.evaluate(16, 0));
  ASSERT_EQ(poisoned.size(), 16u);
  for (std::size_t i = 0; i < poisoned.size(); ++i) EXPECT_EQ(poisoned[i], i % 8 == 0) << i;
}

// The kernel doubles its read_write argument; every launch must see it as it was.
TEST(Evaluator, OverwrittenInputsAreRestoredBeforeEveryRun) {
  KernelSpec spec = scale_spec();
  spec.arguments[1] = vector_argument("x", ArgumentAccess::read_write, FillIota{1.0, 1.0});
  int launches = 0;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    ++launches;
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_EQ(launch.elements<float>(1)[i], static_cast<float>(i + 1));
      launch.elements<float>(1)[i] *= 2;
    }
    return Nanoseconds(1);
  });
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0));
  ASSERT_TRUE(problem.evaluate(16, 0));
  EXPECT_EQ(launches, 18) << "two of the default configuration, with which others are compared, and eight of each";
}

TEST(Evaluator, ABufferFollowsItsLength) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).length = at_line("n * block", 10);
  std::size_t length = 0;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    length = launch.elements<float>(0).size();
    return Nanoseconds(1);
  });
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0));
  EXPECT_EQ(length, 64u * 8);
  ASSERT_TRUE(problem.evaluate(64, 0));
  EXPECT_EQ(length, 64u * 64);
}

TEST(Evaluator, ACompileErrorKeepsItsLog) {
  Problem problem;
  problem.device.on_build([](const KernelSource&, const fakes::Macros& macros) -> Result<fakes::FakeCompilation> {
    if (macros.at("mode") == "0") return fakes::FakeCompilation{};
    return Error(ErrorCode::compile_failed, "1 warning\nk.cl:3: error: no such thing\nmore");
  });
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(8, 1).value();
  EXPECT_EQ(observation.status, Status::compile);
  EXPECT_EQ(observation.message, "k.cl:3: error: no such thing");
  EXPECT_EQ(observation.build_log, "1 warning\nk.cl:3: error: no such thing\nmore");
  EXPECT_FALSE(observation.statistics);
  EXPECT_EQ(problem.device.counters().resets, 0);
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

TEST(Evaluator, ACompilerThatCrashesIsACompileFailure) {
  Problem problem;
  problem.device.on_build([](const KernelSource&, const fakes::Macros& macros) -> Result<fakes::FakeCompilation> {
    if (macros.at("mode") == "1") return fakes::crash("SIGSEGV");
    return fakes::FakeCompilation{};
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 1)->status, Status::compile);
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

TEST(Evaluator, ACompilerThatNeverEndsIsATimeout) {
  Problem problem;
  problem.device.on_build([](const KernelSource&, const fakes::Macros& macros) {
    return fakes::FakeCompilation{"", macros.at("mode") == "1" ? fakes::kForever : Nanoseconds(0)};
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 1)->status, Status::timeout);
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

TEST(Evaluator, ACrashCostsOneConfiguration) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return fakes::crash("SIGSEGV"); });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_THAT(observation.message, HasSubstr("SIGSEGV"));
  EXPECT_EQ(problem.device.counters().resets, 1);
}

TEST(Evaluator, AHangCostsOneConfiguration) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return fakes::kForever; });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::timeout);
  EXPECT_EQ(problem.device.counters().resets, 1);
}

TEST(Evaluator, ARefusedLaunchCostsOneConfiguration) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> {
    return Error(ErrorCode::launch_failed, "out of resources");
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_THAT(observation.message, HasSubstr("out of resources"));
}

TEST(Evaluator, ATimeOfZeroIsNoMeasurement) {
  CheckedProblem problem([](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    const Result<Nanoseconds> run = scale(launch);
    return run ? Result<Nanoseconds>(Nanoseconds()) : run;
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_THAT(observation.message, HasSubstr("took 0 ns by the device's clock"));
  EXPECT_FALSE(observation.statistics.has_value());
}

TEST(Evaluator, AWriteOutOfBoundsNamesTheArgument) {
  CheckedProblem problem([](const fakes::FakeLaunch& launch) {
    launch.write_out_of_bounds(0, 5);
    return scale(launch);
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_EQ(observation.message, "wrote 5 bytes past the end of argument `y`");
  EXPECT_EQ(problem.device.counters().resets, 1);
}

TEST(Evaluator, AWriteBeforeTheBeginningIsSeenToo) {
  CheckedProblem problem([](const fakes::FakeLaunch& launch) {
    launch.write_out_of_bounds(1, 2, true);
    return scale(launch);
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().message,
            "wrote 2 bytes before the beginning of argument `x`, or far past the end of another");
}

TEST(Evaluator, AWrongElementIsSeen) {
  CheckedProblem problem([](const fakes::FakeLaunch& launch) {
    const auto time = scale(launch);
    launch.elements<float>(0)[63] = 0;
    return time;
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::correctness);
  EXPECT_THAT(observation.message, HasSubstr("`y`: 1 of 64 elements is wrong, first at [63]: expected 189, got 0"));
  EXPECT_TRUE(observation.samples.empty());
  EXPECT_EQ(problem.device.counters().resets, 0);
}

// Mode 1 is right itself and spoils an input for all that follow, which are then judged on a fresh one.
TEST(Evaluator, AWriteIntoAnInputHarmsNoOther) {
  CheckedProblem problem([](const fakes::FakeLaunch& launch) {
    const auto time = scale(launch);
    launch.elements<float>(1)[0] = 1000;
    return time;
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::correct);
}

// The kernel writes nothing, so the poison stays: the right answer of the configuration before must not show through.
TEST(Evaluator, AKernelThatWritesNothingIsWrong) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return Nanoseconds(1); });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::correctness);
  EXPECT_THAT(observation.message, HasSubstr("64 of 64 elements are wrong"));
}

TEST(Evaluator, UncheckedOutputsAreNotCompared) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return Nanoseconds(1); });
  EvaluatorOptions options;
  options.check = CheckOutput::never;
  ASSERT_TRUE(problem.start(options));
  const Observation observation = problem.evaluate(8, 1).value();
  EXPECT_EQ(observation.status, Status::correct);
  EXPECT_FALSE(observation.verified);
}

TEST(Evaluator, ACrashWhileMeasuringIsSeen) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches == 4) return fakes::crash("SIGBUS");
    return scale(launch);
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::runtime);
}

TEST(Evaluator, AWorkerKilledFromOutsideIsTriedAgain) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches == 1) return fakes::crash("SIGKILL", 9);
    return scale(launch);
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::correct);
  EXPECT_EQ(problem.device.counters().resets, 1);
}

// An outsider kills workers, five times in one configuration.
TEST(Evaluator, AConfigurationWhoseWorkersAreKilledIsMeasuredInTheEnd) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches <= 5) return fakes::crash("SIGKILL", 9);
    return scale(launch);
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::correct);
  EXPECT_EQ(problem.device.counters().resets, 5);
}

TEST(Evaluator, AConfigurationThatIsKilledEachTimeHasFailed) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return fakes::crash("SIGKILL", 9); });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_EQ(observation.message, "killed again and again from outside (SIGKILL), perhaps because memory ran out");
  EXPECT_EQ(problem.device.counters().resets, 10);
}

// A compiler that was killed said nothing of the configuration either.
TEST(Evaluator, ACompilerThatIsKilledEachTimeRefusedNothing) {
  Problem problem;
  problem.device.on_build([](const KernelSource&, const fakes::Macros& macros) -> Result<fakes::FakeCompilation> {
    if (macros.at("mode") == "1") return fakes::crash("SIGKILL", 9);
    return fakes::FakeCompilation{};
  });
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(8, 1).value();
  EXPECT_EQ(observation.status, Status::runtime);
  EXPECT_THAT(observation.message, HasSubstr("killed again and again from outside"));
}

// A run may take 60 s before a good configuration of 1 us, and 1 s after it.
TEST(Evaluator, WhatPassedATightenedLimitUnderLoadIsTriedAgainWithTheFirstOne) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches == 1) return backend::with_load(Error(ErrorCode::timeout, "the kernel ran longer than 1000 ms"));
    const auto time = scale(launch);
    return launches == 2 ? nanoseconds_from_seconds(50) : *time;
  });
  EXPECT_EQ(problem.misbehave_between_good_ones().status, Status::correct);
  EXPECT_EQ(problem.device.counters().resets, 1);
}

TEST(Evaluator, AHangOnAnIdleMachineCostsOneLimit) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch&) -> Result<Nanoseconds> {
    ++launches;
    return fakes::kForever;
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.status, Status::timeout);
  EXPECT_THAT(observation.message, HasSubstr("the kernel ran longer than its run limit of 1 s (60 s, tightened"));
  EXPECT_EQ(launches, 1);
}

TEST(Evaluator, AHangUnderLoadCostsTwoLimitsAndNoMore) {
  int launches = 0;
  CheckedProblem problem([&launches](const fakes::FakeLaunch&) -> Result<Nanoseconds> {
    ++launches;
    return backend::with_load(Error(ErrorCode::timeout, "the kernel ran too long"));
  });
  const Observation observation = problem.misbehave_between_good_ones();
  EXPECT_EQ(observation.message, "the kernel ran longer than its run limit of 60 s");
  EXPECT_EQ(launches, 2);
}

TEST(Evaluator, ADeviceThatDoesNotComeBackIsAnError) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return fakes::crash("SIGSEGV"); });
  problem.device.break_reset();
  const auto observation = problem.evaluate(8, 1);
  ASSERT_FALSE(observation);
  EXPECT_EQ(observation.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(problem.device.counters().resets, 3);
}

TEST(Evaluator, MovingDataHasNothingToDoWithTheLimitOfARun) {
  Problem problem;
  problem.device.slow_transfers(nanoseconds_from_seconds(1));
  EvaluatorOptions options;
  options.limits.run = options.limits.run_floor = nanoseconds_from_ms(50);
  ASSERT_TRUE(problem.start(options));
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
}

TEST(Evaluator, LimitsTightenAfterAGoodConfiguration) {
  CheckedProblem problem([](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return nanoseconds_from_seconds(40); });
  // 40 s are within the first limit of 60 s, but not within the floor of 1 s.
  EXPECT_EQ(problem.evaluate(8, 1)->status, Status::correctness);
  EXPECT_EQ(problem.evaluate(8, 0)->status, Status::correct);
  EXPECT_EQ(problem.evaluate(16, 1)->status, Status::timeout);
}

TEST(Evaluator, ImpossibleGeometryIsKnownBeforeCompiling) {
  KernelSpec spec = scale_spec();
  spec.parameters[0].values = {8, 48, 2048};
  spec.geometry.sizes[0] = at_line("n if block < 64 else 2048", 20);
  Problem problem(spec);
  ASSERT_TRUE(problem.start());
  const int builds = problem.device.counters().builds;
  const Observation uneven = problem.evaluate(48, 0).value();
  EXPECT_EQ(uneven.status, Status::constraints);
  EXPECT_THAT(uneven.message, HasSubstr("64 is not a multiple of the work-group's 48"));
  const Observation large = problem.evaluate(2048, 0).value();
  EXPECT_EQ(large.status, Status::constraints);
  EXPECT_THAT(large.message, HasSubstr("a work-group of 2048"));
  EXPECT_EQ(problem.device.counters().builds, builds);
}

TEST(Evaluator, ABufferTooLargeForTheDeviceIsAConstraint) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).length = at_line("n * 2 ** mode", 10);
  DeviceInfo small = fakes::FakeDevice().info();
  small.max_allocation_bytes = 1024;
  Problem problem(spec, scale, small);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correct);
  EXPECT_EQ(problem.evaluate(8, 3)->status, Status::constraints);
}

TEST(Evaluator, AMissingKernelEndsTheRun) {
  Problem problem;
  problem.spec.source.function = "scala";
  problem.device.add_kernel("scale", 3, scale);
  ASSERT_TRUE(problem.start());
  const auto observation = problem.evaluate(8, 0);
  ASSERT_FALSE(observation);
  EXPECT_EQ(observation.error().code(), ErrorCode::not_found);
  EXPECT_THAT(observation.error().to_string(), HasSubstr("did you mean `scale`?"));
}

TEST(Evaluator, ArgumentsThatDoNotMatchTheKernelEndTheRun) {
  Problem problem;
  problem.device.add_kernel("scale", 4, scale);
  ASSERT_TRUE(problem.start());
  const auto observation = problem.evaluate(8, 0);
  ASSERT_FALSE(observation);
  EXPECT_EQ(observation.error().to_string(), "spec.toml:10:1: kernel `scale` takes 4 arguments, the spec lists 3");
}

// A macro compiles other code in mode 1. That is this configuration's failure, since the spec fits mode 0.
TEST(Evaluator, AMisfitInSomeConfigurationsIsTheirFailure) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  ASSERT_EQ(problem.evaluate(8, 0)->status, Status::correct);
  problem.device.add_kernel("scale", 4, scale);
  const auto observation = problem.evaluate(8, 1);
  ASSERT_TRUE(observation) << observation.error().to_string();
  EXPECT_EQ(observation->status, Status::compile);
}

TEST(Evaluator, MistakesInTheSpecAreFoundBeforeTheFirstConfiguration) {
  Problem unknown_name;
  unknown_name.spec.geometry.work_group[0] = at_line("blok", 21);
  EXPECT_EQ(unknown_name.start().error().code(), ErrorCode::not_found);
  Problem missing_file;
  missing_file.spec.arguments[1] = vector_argument("x", ArgumentAccess::read_only, FillFile{"no/such.npy"});
  EXPECT_THAT(missing_file.start().error().to_string(), HasSubstr("spec.toml:10:1: argument `x`: no such file"));
  Problem bad_fill;
  bad_fill.spec.arguments[1] = vector_argument("x", ArgumentAccess::read_only, FillExpression{at_line("i * blok", 9)});
  EXPECT_THAT(bad_fill.start().error().to_string(), HasSubstr("spec.toml:9:1: argument `x`: unknown name `blok`"));
  Problem too_large;
  too_large.spec.problem_size[0].value = std::int64_t{1} << 40;
  EXPECT_THAT(too_large.start().error().to_string(), HasSubstr("argument `y`"));
  Problem limits;
  EvaluatorOptions options;
  options.limits.run = Nanoseconds(0);
  EXPECT_EQ(limits.start(options).error().code(), ErrorCode::invalid_argument);
}

TEST(Evaluator, FillExpressionsReadTheIndexAndTheProblem) {
  std::vector<float> seen;
  KernelSpec spec = scale_spec();
  spec.arguments[1] = vector_argument("x", ArgumentAccess::read_only, FillExpression{at_line("n - i % 4", 9)});
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) {
    seen.assign(launch.elements<float>(1).begin(), launch.elements<float>(1).begin() + 5);
    return scale(launch);
  });
  const auto started = problem.start();
  ASSERT_TRUE(started) << started.error().to_string();
  ASSERT_TRUE(problem.evaluate(8, 0));
  EXPECT_EQ(seen, (std::vector<float>{64, 63, 62, 61, 64}));
}

TEST(Evaluator, HoldsNothingOfTheDeviceAfterwards) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0));
  const int held = problem.device.counters().live_objects;
  ASSERT_TRUE(problem.evaluate(16, 0));
  EXPECT_EQ(problem.device.counters().live_objects, held);  // programs, kernels and events are gone
  problem.evaluator.reset();
  EXPECT_EQ(problem.device.counters().live_objects, 0);
}

}  // namespace
}  // namespace wattune::tune
