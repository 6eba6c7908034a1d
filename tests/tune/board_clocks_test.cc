// Parameters that are set on the board, and those that are for the launch alone.
#include "tune/interface/board_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a spec with `mode` and `block` as in scale_spec(), a clock and a power limit; `block` is for the launch.
KernelSpec clock_spec() {
  KernelSpec spec = scale_spec();
  spec.parameters[0].role = ParameterRole::launch;
  spec.parameters.push_back({"mhz", {1200, 1410}, {}, {"spec.toml", 9, 1}, ParameterRole::graphics_clock});
  spec.parameters.push_back({"watts", {300, 400}, {}, {}, ParameterRole::power_limit});
  return spec;
}

struct ClockProblem : Problem {
  explicit ClockProblem(fakes::FakeKernelFunction kernel = scale) : Problem(clock_spec(), std::move(kernel)) {}

  Configuration at(int block, int mode, int mhz, int watts) {
    const std::vector<std::pair<std::string, Value>> values{
        {"block", block}, {"mode", mode}, {"mhz", mhz}, {"watts", watts}};
    return space.configuration(space.find(values).value());
  }
  Observation evaluate_at(int block, int mode, int mhz, int watts) {
    return evaluator->evaluate(at(block, mode, mhz, watts)).value();
  }

  fakes::FakeClocks& clocks = device.add_clocks();
};

backend::BoardSetting setting(double mhz, double watts) {
  return {.graphics = Megahertz(mhz), .memory = {}, .power_limit = Watts(watts)};
}

TEST(BoardClocks, AreThoseOfTheConfigurationWhileItRuns) {
  std::vector<backend::BoardSetting> seen;
  ClockProblem* running = nullptr;
  ClockProblem problem([&](const fakes::FakeLaunch& launch) {
    seen.push_back(running->clocks.now);
    return scale(launch);
  });
  running = &problem;
  ASSERT_TRUE(problem.start());
  for (const int mhz : {1410, 1200}) {
    seen.clear();
    ASSERT_TRUE(problem.evaluate_at(16, 0, mhz, 400).ok());
    EXPECT_THAT(seen, ::testing::Each(setting(mhz, 400)));
    EXPECT_EQ(seen.size(), 8u);  // checked once, timed seven times
  }
}

TEST(BoardClocks, AreSetOnceForConfigurationsThatShareThem) {
  ClockProblem problem;
  ASSERT_TRUE(problem.start());
  for (const int mode : {0, 1, 2}) problem.evaluate_at(16, mode, 1410, 300);
  EXPECT_THAT(problem.clocks.all, ElementsAre(setting(1410, 400), setting(1410, 300)));  // the default's first
}

TEST(BoardClocks, AreRestoredWhenTheEvaluatorEnds) {
  ClockProblem problem;
  ASSERT_TRUE(problem.start());
  problem.evaluate_at(16, 0, 1410, 300);
  EXPECT_EQ(problem.clocks.restored, 0);
  problem.evaluator.reset();
  EXPECT_EQ(problem.clocks.restored, 1);
}

TEST(BoardClocks, AreLeftAloneWithoutSuchParameters) {
  Problem problem;
  fakes::FakeClocks& clocks = problem.device.add_clocks();
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(16, 0)->ok());
  problem.evaluator.reset();
  EXPECT_TRUE(clocks.all.empty());
  EXPECT_EQ(clocks.restored, 0);
}

TEST(BoardClocks, ADeviceWithoutThemIsAnErrorThatNamesTheParameter) {
  Problem problem(clock_spec());
  const Error error = problem.start().error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_EQ(error.to_string(), "spec.toml:9:1: the fake device has no clocks to set: `mhz`");
  EXPECT_EQ(problem.device.counters().builds, 0);
}

TEST(BoardClocks, WithoutPermissionNothingIsCompiled) {
  ClockProblem problem;
  problem.clocks.answer = [](const auto&) { return Error(ErrorCode::unavailable, "not permitted"); };
  EXPECT_THAT(problem.start().error().to_string(), HasSubstr("not permitted"));
  EXPECT_EQ(problem.device.counters().builds, 0);
}

// A clock that the board refuses costs its configurations; the others go on.
TEST(BoardClocks, ARefusedClockBreaksAConstraint) {
  ClockProblem problem;
  problem.clocks.answer = [](const backend::BoardSetting& setting) -> Result<void> {
    if (setting.graphics == Megahertz(1200)) return Error(ErrorCode::invalid_argument, "no clock of 1200 MHz");
    return {};
  };
  ASSERT_TRUE(problem.start());
  const int builds = problem.device.counters().builds;
  const Observation refused = problem.evaluate_at(16, 0, 1200, 300);
  EXPECT_EQ(refused.status, Status::constraints);
  EXPECT_THAT(refused.message, HasSubstr("no clock of 1200 MHz"));
  EXPECT_EQ(problem.device.counters().builds, builds);
  EXPECT_TRUE(problem.evaluate_at(16, 0, 1410, 300).ok());
}

TEST(BoardClocks, WhatWasSetIsReadBack) {
  ClockProblem problem;
  problem.clocks.obeys = false;
  ASSERT_TRUE(problem.start());
  const Observation other = problem.evaluate_at(16, 0, 1410, 300);
  EXPECT_EQ(other.status, Status::constraints);
  EXPECT_EQ(other.message, "the board was set to a graphics clock (MHz) of 1410, but says 100");
}

TEST(BoardClocks, ContestantsRunAtTheirOwn) {
  ClockProblem* running = nullptr;
  ClockProblem problem([&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    WATTUNE_TRY(scale(launch));
    return 1e6 / running->clocks.now.graphics->value() * Nanoseconds(1000.0);
  });
  running = &problem;
  ASSERT_TRUE(problem.start());
  const measure::ShootOutOptions options{.block = 4, .max_blocks = 1, .warm_up = Nanoseconds()};
  const Contest contest =
      problem.evaluator->hold_contest({problem.at(16, 0, 1200, 300), problem.at(16, 0, 1410, 300)}, options).value();
  for (const Sample& sample : contest.observations[0].samples) EXPECT_NEAR(sample.time.value(), 1e9 / 1200, 1.0);
  for (const Sample& sample : contest.observations[1].samples) EXPECT_NEAR(sample.time.value(), 1e9 / 1410, 1.0);
}

// Only the 2 modes are compiled; all other parameters are for the launch or the board.
TEST(SharedCode, IsBuiltOnceWhateverElseChanges) {
  ClockProblem problem;
  ASSERT_TRUE(problem.start());
  for (const int mhz : {1200, 1410})
    for (const int block : {8, 16, 64})
      for (const int mode : {0, 1}) EXPECT_TRUE(problem.evaluate_at(block, mode, mhz, 300).ok());
  EXPECT_EQ(problem.device.counters().builds, 2);
  const Observation again = problem.evaluate_at(8, 0, 1410, 400);
  EXPECT_EQ(again.phases.compile, Nanoseconds());
}

TEST(SharedCode, IsBuiltAgainAfterAReset) {
  ClockProblem problem([](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (launch.macro("mode") == 1) return fakes::crash("SIGSEGV");
    return scale(launch);
  });
  ASSERT_TRUE(problem.start());
  EXPECT_TRUE(problem.evaluate_at(8, 0, 1200, 300).ok());
  EXPECT_EQ(problem.evaluate_at(8, 1, 1200, 300).status, Status::runtime);
  EXPECT_TRUE(problem.evaluate_at(16, 0, 1200, 300).ok());
  EXPECT_EQ(problem.device.counters().builds, 3);
}

// Programs of old specs are not kept: nothing of an evaluated configuration stays on the device.
TEST(SharedCode, IsNotKeptWhereEveryConfigurationHasItsOwn) {
  Problem problem;
  ASSERT_TRUE(problem.start());
  ASSERT_TRUE(problem.evaluate(8, 0)->ok());
  const int live = problem.device.counters().live_objects;
  ASSERT_TRUE(problem.evaluate(16, 1)->ok());
  EXPECT_EQ(problem.device.counters().live_objects, live);
}

}  // namespace
}  // namespace wattune::tune
