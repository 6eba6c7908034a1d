// Evaluator::compare(), and what is checked when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::tune {
namespace {

using ::testing::Each;

// `scale`, whose mode 1 crashes, mode 2 computes something else and mode 3 takes half the time and computes something
// else; the others take 1000 ns times the mode, or 1000.
Result<Nanoseconds> scale_or_misbehave(const fakes::FakeLaunch& launch) {
  const double mode = launch.macro("mode");
  if (mode == 1) return fakes::crash("SIGSEGV");
  const auto done = scale(launch);
  if (mode == 2 || mode == 3) launch.elements<float>(0)[0] += 1.0F;
  return mode == 3 ? *done * 0.5 : *done * std::max(1.0, mode);
}

struct CheckedProblem : Problem {
  explicit CheckedProblem(CheckOutput check = CheckOutput::every) : Problem(scale_spec(), scale_or_misbehave) {
    ReferenceKernel reference;
    reference.source.function = "plain";
    reference.source.text = "kernel void plain()";
    reference.geometry.sizes[0] = at_line("n", 30);
    spec.reference = reference;
    device.add_kernel("plain", 3, scale);
    EXPECT_TRUE(start({.check = check}));
  }

  std::vector<Observation> compare(const std::vector<int>& modes) {
    std::vector<Configuration> configurations;
    for (const int mode : modes) {
      const std::vector<std::pair<std::string, Value>> values{{"block", 8}, {"mode", mode}};
      configurations.push_back(space.configuration(space.find(values).value()));
    }
    return evaluator->compare(configurations, {.block = 4, .max_blocks = 2, .warm_up = Nanoseconds()}).value();
  }
};

TEST(Compare, RunsAllInTurns) {
  CheckedProblem problem;
  const std::vector<Observation> observations = problem.compare({0, 5});
  ASSERT_EQ(observations.size(), 2u);
  EXPECT_EQ(observations[0].samples.size(), 8u);
  EXPECT_THAT(observations[1].samples, Each(Sample{Nanoseconds(5000)}));
  EXPECT_EQ(observations[1].samples.size(), observations[0].samples.size());
  EXPECT_TRUE(observations[0].verified);
  EXPECT_EQ(observations[0].statistics->median, Nanoseconds(1000));
}

TEST(Compare, GoesOnWithoutThoseThatFail) {
  CheckedProblem problem;
  const std::vector<Observation> observations = problem.compare({0, 1, 2, 5});
  EXPECT_EQ(observations[0].status, Status::correct);
  EXPECT_EQ(observations[1].status, Status::runtime);
  EXPECT_EQ(observations[2].status, Status::correctness);
  EXPECT_EQ(observations[3].status, Status::correct);
  EXPECT_EQ(observations[3].samples.size(), observations[0].samples.size());
  EXPECT_FALSE(observations[2].statistics);
}

TEST(Compare, AllMayFail) {
  CheckedProblem problem;
  const std::vector<Observation> observations = problem.compare({1, 2});
  EXPECT_EQ(observations[0].status, Status::runtime);
  EXPECT_EQ(observations[1].status, Status::correctness);
}

TEST(CheckWinners, OnlyWhatWouldBeTheBestIsChecked) {
  CheckedProblem problem(CheckOutput::winners);
  EXPECT_TRUE(problem.evaluate(8, 0)->verified);               // the first is the best
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correct);  // slower, and wrong
  EXPECT_FALSE(problem.evaluate(8, 5)->verified);              // slower
  const Observation fast = problem.evaluate(8, 3).value();     // faster, and wrong
  EXPECT_EQ(fast.status, Status::correctness);
  EXPECT_FALSE(fast.statistics);
}

TEST(CheckWinners, FinalistsAreChecked) {
  CheckedProblem problem(CheckOutput::winners);
  EXPECT_EQ(problem.compare({0, 2})[1].status, Status::correctness);
}

TEST(CheckNever, ChecksNothing) {
  CheckedProblem problem(CheckOutput::never);
  EXPECT_EQ(problem.compare({0, 2})[1].status, Status::correct);
}

// The buffer that is written before each timed run is the only one of its size.
TEST(ColdCache, EachTimedRunFollowsAFlush) {
  Problem problem;
  DeviceInfo small = problem.device.info();
  small.max_allocation_bytes = 4096;
  Problem cold(scale_spec(), scale, small);
  ASSERT_TRUE(cold.start({.cache = Cache::cold}));
  const int live_before = cold.device.counters().live_objects;
  ASSERT_EQ(cold.evaluate(8, 0)->status, Status::correct);
  EXPECT_EQ(cold.device.counters().live_objects, live_before + 1);
}

}  // namespace
}  // namespace wattune::tune
