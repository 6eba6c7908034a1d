// Specs without a reference, whose configurations are compared with the default one; and outputs that are never
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Runs `scale`, and then `also` in modes other than 0, the default.
fakes::FakeKernelFunction with(std::function<void(const fakes::FakeLaunch&)> also) {
  return [also = std::move(also)](const fakes::FakeLaunch& launch) {
    Result<Nanoseconds> time = scale(launch);
    if (launch.macro("mode") != 0.0) also(launch);
    return time;
  };
}

TEST(DefaultOutputs, WhatDiffersFromTheDefaultConfigurationIsWrong) {
  Problem problem(scale_spec(), with([](const auto& launch) { launch.template elements<float>(0)[63] += 1.0f; }));
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluator->verification().by, "default configuration block=8, mode=0");
  const Observation right = problem.evaluate(16, 0).value();
  EXPECT_TRUE(right.ok() && right.verified) << right.message;
  const Observation wrong = problem.evaluate(16, 1).value();
  EXPECT_EQ(wrong.status, Status::correctness);
  EXPECT_THAT(wrong.message, HasSubstr("`y`: 1 of 64 elements is wrong, first at [63]: expected 189, got 190"));
}

// The largest magnitude is 189. float32 may be off by 1e-4 of it, 0.0189, also where 0 is expected.
TEST(DefaultOutputs, FloatsAreComparedOnTheScaleOfTheirOutput) {
  float off = 0.018f;
  Problem problem(scale_spec(), with([&](const auto& launch) { launch.template elements<float>(0)[0] += off; }));
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate(16, 1)->ok());
  off = 0.020f;
  EXPECT_EQ(problem.evaluate(16, 1)->status, Status::correctness);
  problem.spec.tolerance.absolute = 0.1;
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate(16, 1)->ok()) << "the spec's tolerance counts";
}

// Returns a spec with the output y and, instead of x, an output that counts launches.
KernelSpec with_a_second_output() {
  KernelSpec spec = scale_spec();
  spec.arguments[1] = vector_argument("x", ArgumentAccess::write_only);
  return spec;
}

TEST(DefaultOutputs, WhatDiffersBetweenTwoRunsIsToldAndNotCompared) {
  int launches = 0;
  float second = 1.0f;
  Problem problem(with_a_second_output(), [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    std::ranges::fill(launch.elements<float>(0), launch.macro("mode") == 2.0 ? second : 1.0f);
    std::ranges::fill(launch.elements<float>(1), static_cast<float>(++launches));
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_THAT(problem.evaluator->verification().left_out,
              ElementsAre(HasSubstr("not compared, as two runs of the default configuration differ: `x`: 64 of 64")));
  const Observation right = problem.evaluate(16, 1).value();
  EXPECT_TRUE(right.ok() && right.verified) << right.message;
  second = 2.0f;
  EXPECT_EQ(problem.evaluate(16, 2)->status, Status::correctness) << "the other output is compared";
}

TEST(DefaultOutputs, WhereAllDifferBetweenTwoRunsNothingIsVerified) {
  int launches = 0;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    std::ranges::fill(launch.elements<float>(0), static_cast<float>(++launches));
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start());
  const Observation seen = problem.evaluate(16, 0).value();
  EXPECT_TRUE(seen.ok());
  EXPECT_FALSE(seen.verified);
  EXPECT_EQ(seen.message, "all outputs differ between two runs of the default configuration");
  EXPECT_THAT(problem.evaluator->verification().by, IsEmpty());
}

// A field that differs does not exclude the others.
TEST(DefaultOutputs, FieldsOfStructsAreLeftOutOneByOne) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).fields = {{"right", ElementType::float32},
                                                             {"ticks", ElementType::uint32}};
  std::uint32_t launches = 0;
  Problem problem(spec, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    std::ranges::fill(launch.elements<std::uint32_t>(0), ++launches);
    const auto floats = launch.elements<float>(0);
    for (std::size_t i = 0; i < floats.size(); i += 2) floats[i] = launch.macro("mode") == 1.0 ? 2.0f : 1.0f;
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_THAT(problem.evaluator->verification().left_out, ElementsAre(HasSubstr("`y.ticks`")));
  EXPECT_TRUE(problem.evaluate(16, 0)->verified);
  EXPECT_THAT(problem.evaluate(16, 1)->message, HasSubstr("`y.right`"));
}

TEST(DefaultOutputs, WhereTheDefaultFailsTrialsAreNotVerifiedAndSayWhy) {
  Problem problem(scale_spec(), [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (launch.macro("mode") == 0.0 && launch.macro("block") == 8.0) launch.write_out_of_bounds(0, 3);
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.device.counters().resets, 1);
  const Observation other = problem.evaluate(16, 1).value();
  EXPECT_TRUE(other.ok());
  EXPECT_FALSE(other.verified);
  EXPECT_EQ(other.message,
            "the default configuration block=8, mode=0 fails: wrote 3 bytes past the end of argument `y`");
}

TEST(DefaultOutputs, OfAWorkerKilledFromOutsideAreComputedAgain) {
  int launches = 0;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches == 1) return fakes::crash("SIGKILL", 9);
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate(16, 1)->verified);
}

TEST(DefaultOutputs, WithoutOutputsNothingIsVerified) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).access = ArgumentAccess::read_only;
  Problem problem(spec);
  ASSERT_TRUE(problem.start());
  const Observation seen = problem.evaluate(16, 0).value();
  EXPECT_TRUE(seen.ok());
  EXPECT_FALSE(seen.verified);
  EXPECT_EQ(seen.message, "no outputs");
}

TEST(DefaultOutputs, OfALengthThatDependsOnParametersAreNoneToCompare) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).length = at_line("n * block", 10);
  Problem problem(spec);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(8, 0)->message, "no output that can be compared");
}

TEST(DefaultOutputs, MoreToCompareThanThereIsIsAMistakeInTheSpec) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).compared_length = at_line("n + 1", 11);
  Problem problem(spec);
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().to_string(), HasSubstr("`compare_length` is 65, but the output has 64 elements"));
}

TEST(DefaultOutputs, AreNotLookedAtWhereNothingIsChecked) {
  int launches = 0;
  Problem problem(scale_spec(), [&](const fakes::FakeLaunch& launch) {
    ++launches;
    return scale(launch);
  });
  ASSERT_TRUE(problem.start({.check = CheckOutput::never}));
  EXPECT_EQ(launches, 0);
  EXPECT_FALSE(problem.evaluate(16, 0)->verified);
}

Result<Nanoseconds> nothing(const fakes::FakeLaunch&) { return Nanoseconds(1000.0); }

TEST(UnwrittenOutputs, AreNeverCorrect) {
  Problem problem(scale_spec(), [](const fakes::FakeLaunch& launch) {
    return launch.macro("mode") == 1.0 ? nothing(launch) : scale(launch);
  });
  std::get<VectorArgument>(problem.spec.arguments[0].kind).comparison = OutputComparison::none;
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate(16, 0)->ok());
  const Observation unwritten = problem.evaluate(16, 1).value();
  EXPECT_EQ(unwritten.status, Status::correctness);
  EXPECT_THAT(unwritten.message, HasSubstr("writes none of its outputs"));
}

TEST(UnwrittenOutputs, OfTheDefaultConfigurationAreNoAnswer) {
  Problem problem(scale_spec(), nothing);
  ASSERT_TRUE(problem.start());
  EXPECT_THAT(problem.evaluator->verification().why_not, HasSubstr("writes none of its outputs"));
  EXPECT_EQ(problem.evaluate(16, 1)->status, Status::correctness);
}

// A reference that writes as little agrees with it.
TEST(UnwrittenOutputs, AreNotCorrectThoughTheReferenceWritesNothingEither) {
  Problem problem(scale_spec(), nothing);
  ReferenceKernel reference;
  reference.source.function = "plain";
  reference.source.text = "kernel void plain()";
  reference.geometry.sizes[0] = at_line("n", 30);
  problem.spec.reference = reference;
  problem.device.add_kernel("plain", 3, nothing);
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(16, 1)->status, Status::correctness);
}

// The value -1 has the bytes with which outputs are filled.
TEST(UnwrittenOutputs, AreNotThoseThatAreWrittenAsThePoison) {
  KernelSpec spec = scale_spec();
  std::get<VectorArgument>(spec.arguments[0].kind).type = ElementType::int32;
  Problem problem(spec, [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    std::ranges::fill(launch.elements<std::int32_t>(0), -1);
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start());
  const Observation seen = problem.evaluate(16, 1).value();
  EXPECT_TRUE(seen.ok() && seen.verified) << seen.message;
}

// An argument that is read and written may change instead of those that are only written, as a counter of findings
// does.
TEST(UnwrittenOutputs, MayBeAllThatAreOnlyWrittenWhereAnotherChanges) {
  KernelSpec spec = scale_spec();
  spec.arguments[1] = vector_argument("x", ArgumentAccess::read_write, FillIota{});
  Problem problem(spec, [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (launch.macro("mode") != 1.0) launch.elements<float>(1)[0] += 1.0f;
    return Nanoseconds(1000.0);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate(16, 0)->ok());
  EXPECT_FALSE(problem.evaluate(16, 1)->ok());
}

}  // namespace
}  // namespace wattune::tune
