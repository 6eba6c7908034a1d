// Evaluator::hold_contest(), and when outputs are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/observed_board.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Each;

// Computes `scale`. Mode 1 crashes, mode 2 computes something else, and mode 3 does so in half the time. The others
// take 1000 ns times the mode, or 1000 ns.
Result<Nanoseconds> scale_or_misbehave(const fakes::FakeLaunch& launch) {
  const double mode = launch.macro("mode");
  if (mode == 1) return fakes::crash("SIGSEGV");
  const auto done = scale(launch);
  if (mode == 2 || mode == 3) launch.elements<float>(0)[0] += 1.0F;
  return mode == 3 ? *done * 0.5 : *done * std::max(1.0, mode);
}

Contest run_in_turns(Problem& problem, const std::vector<int>& modes) {
  std::vector<Configuration> configurations;
  for (const int mode : modes) {
    const std::vector<std::pair<std::string, Value>> values{{"block", 8}, {"mode", mode}};
    configurations.push_back(problem.space.configuration(problem.space.find(values).value()));
  }
  const measure::ShootOutOptions options{.block = 4, .max_blocks = 2, .warm_up = Nanoseconds()};
  return problem.evaluator->hold_contest(configurations, options).value();
}

struct ContestProblem : Problem {
  explicit ContestProblem(CheckOutput check = CheckOutput::every, std::vector<Objective> objectives = {})
      : Problem(scale_spec(), scale_or_misbehave) {
    spec.metrics = {{"size", at_line("block", 31)}};
    spec.objectives = std::move(objectives);
    ReferenceKernel reference;
    reference.source.function = "plain";
    reference.source.text = "kernel void plain()";
    reference.geometry.sizes[0] = at_line("n", 30);
    spec.reference = reference;
    device.add_kernel("plain", 3, scale);
    EXPECT_TRUE(start({.check = check}));
  }

  std::vector<Observation> compare(const std::vector<int>& modes) { return run_in_turns(*this, modes).observations; }
};

TEST(Contest, RunsAllInTurns) {
  ContestProblem problem;
  const std::vector<Observation> observations = problem.compare({0, 5});
  ASSERT_EQ(observations.size(), 2u);
  EXPECT_EQ(observations[0].samples.size(), 8u);
  EXPECT_THAT(observations[1].samples, Each(Sample{Nanoseconds(5000)}));
  EXPECT_EQ(observations[1].samples.size(), observations[0].samples.size());
  EXPECT_TRUE(observations[0].verified);
  EXPECT_EQ(observations[0].statistics->median, Nanoseconds(1000));
}

TEST(Contest, EndsWithoutAResultWhenCancelled) {
  ContestProblem problem;
  const std::atomic<bool> cancel = true;
  const std::vector<std::pair<std::string, Value>> values{{"block", 8}, {"mode", 0}};
  const Configuration configuration = problem.space.configuration(problem.space.find(values).value());
  const auto contest = problem.evaluator->hold_contest({configuration}, {.cancel = &cancel});
  ASSERT_TRUE(contest);
  EXPECT_TRUE(contest->observations.empty());
}

TEST(Contest, GoesOnWithoutThoseThatFail) {
  ContestProblem problem;
  const std::vector<Observation> observations = problem.compare({0, 1, 2, 5});
  EXPECT_EQ(observations[0].status, Status::correct);
  EXPECT_EQ(observations[1].status, Status::runtime);
  EXPECT_EQ(observations[2].status, Status::correctness);
  EXPECT_EQ(observations[3].status, Status::correct);
  EXPECT_EQ(observations[3].samples.size(), observations[0].samples.size());
  EXPECT_FALSE(observations[2].statistics);
}

TEST(Contest, AllMayFail) {
  ContestProblem problem;
  const std::vector<Observation> observations = problem.compare({1, 2});
  EXPECT_EQ(observations[0].status, Status::runtime);
  EXPECT_EQ(observations[1].status, Status::correctness);
}

// A run computes 64 items in 1000 ns times the mode.
TEST(Contest, TurnsAreWorthWhatTheObjectiveSays) {
  KernelSpec spec = scale_spec();
  spec.metrics.push_back({"rate", at_line("n / time", 40)});
  spec.objectives = {{"rate", true}};
  Problem problem(spec, scale_or_misbehave);
  ASSERT_TRUE(problem.start());
  const Contest contest = run_in_turns(problem, {0, 5});
  EXPECT_DOUBLE_EQ(contest.rounds[0].front().objective, -64e6);
  EXPECT_DOUBLE_EQ(contest.rounds[1].front().objective, -64e6 / 5);
  EXPECT_DOUBLE_EQ(contest.observations[0].objective(), -64e6);
}

// A device on which mode 4 takes four times as long as the others, at a ninth of the power: 4/9 of the energy.
struct EnergyProblem : Problem {
  EnergyProblem() : Problem(energy_spec(), [this](const fakes::FakeLaunch& launch) { return draw(launch); }) {
    EXPECT_TRUE(start({.observe = {BoardMetric::energy},
                       .energy_window = nanoseconds_from_ms(100),
                       .open_recorder = board.recorder_of(device)}));
  }
  static KernelSpec energy_spec() {
    KernelSpec spec = scale_spec();
    spec.metrics.push_back({"product", at_line("energy * time", 40)});
    spec.objectives = {{"product", false}};
    return spec;
  }
  // Draws power, and takes milliseconds where scale_or_misbehave takes microseconds.
  Result<Nanoseconds> draw(const fakes::FakeLaunch& launch) {
    WATTUNE_ASSIGN(const Nanoseconds time, scale_or_misbehave(launch));
    return board.run(Watts(launch.macro("mode") == 4 ? 1.0 : 9.0), 1000.0 * time);
  }
  ObservedBoard board{Watts(0.5)};
};

// One draws 9 W for 1 ms: 9 mJ, times 1 ms. The other draws 1 W for 4 ms: 4 mJ, times 4 ms. All figures hold within 2
// %.
TEST(Contest, EnergyIsMeasuredInEveryTurn) {
  EnergyProblem problem;
  const Contest contest = run_in_turns(problem, {0, 4});
  for (const measure::Turn& turn : contest.rounds[0]) EXPECT_NEAR(turn.objective, 9e-6, 2e-7);
  for (const measure::Turn& turn : contest.rounds[1]) {
    EXPECT_NEAR(turn.objective, 16e-6, 3e-7);
    EXPECT_GE(turn.spent, nanoseconds_from_ms(500)) << "the window of a finalist";
  }
  const Observation& observation = contest.observations[1];
  EXPECT_EQ(observation.metrics[0].name, "energy");
  EXPECT_NEAR(observation.metrics[0].value, 4e-3, 8e-5);
  EXPECT_NEAR(observation.objective(), 16e-6, 3e-7);
}

TEST(ObjectiveInterval, FollowsTheIntervalOfTheTimeAndHowExactEnergyIs) {
  Problem timed;
  ASSERT_TRUE(timed.start());
  Trial trial;
  trial.observation.statistics =
      Statistics{.median = Nanoseconds(1000), .interval_low = Nanoseconds(900), .interval_high = Nanoseconds(1200)};
  EXPECT_EQ(timed.evaluator->objective_interval(trial).low, 900.0);
  EXPECT_EQ(timed.evaluator->objective_interval(trial).high, 1200.0);

  EnergyProblem problem;
  trial.configuration = problem.space.configuration(0);
  trial.observation.metrics = {{"energy", 9e-6, "J", 0.025 * 9e-6}, {"product", 9e-12, "", 0.025 * 9e-12}};
  trial.observation.objective_value = 9e-12;
  const measure::ObjectiveInterval interval = problem.evaluator->objective_interval(trial);
  EXPECT_DOUBLE_EQ(interval.value, 9e-12);
  EXPECT_NEAR(interval.low, 9e-12 * (0.9 - 0.025), 1e-20);
  EXPECT_NEAR(interval.high, 9e-12 * (1.2 + 0.025), 1e-20);
}

TEST(CheckWinners, OnlyWhatWouldBeTheBestIsChecked) {
  ContestProblem problem(CheckOutput::winners);
  EXPECT_TRUE(problem.evaluate(8, 0)->verified);               // the first is the best
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correct);  // slower, and wrong
  EXPECT_FALSE(problem.evaluate(8, 5)->verified);              // slower
  const Observation fast = problem.evaluate(8, 3).value();     // faster, and wrong
  EXPECT_EQ(fast.status, Status::correctness);
  EXPECT_FALSE(fast.statistics);
}

// A configuration may be the best in the second objective.
TEST(CheckWinners, WithSeveralObjectivesAllAreChecked) {
  ContestProblem problem(CheckOutput::winners, {{"time", false}, {"size", true}});
  EXPECT_TRUE(problem.evaluate(8, 0)->verified);
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correctness);  // slower, and wrong
}

TEST(CheckWinners, FinalistsAreChecked) {
  ContestProblem problem(CheckOutput::winners);
  EXPECT_EQ(problem.compare({0, 2})[1].status, Status::correctness);
}

TEST(CheckContenders, WhatMayBeAsGoodAsTheBestIsChecked) {
  ContestProblem problem(CheckOutput::contenders);
  EXPECT_TRUE(problem.evaluate(8, 0)->verified);
  EXPECT_TRUE(problem.evaluate(16, 0)->verified);              // as fast
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correct);  // slower, and wrong
  EXPECT_FALSE(problem.evaluate(8, 5)->verified);              // slower
  EXPECT_EQ(problem.evaluate(8, 3)->status, Status::correctness);
}

// The fake kernel takes 1 us, so that two launches take less than a wait does if others compute on the device.
TEST(CheckContenders, WhatIsShortIsLaunchedTwiceAtFirst) {
  Problem problem(scale_spec(), scale_or_misbehave);
  problem.policy = measure::make_gated({.warm_up = Nanoseconds(), .min_samples = 6, .max_samples = 6});
  ASSERT_TRUE(problem.start({.check = CheckOutput::contenders}));
  for (int mode = 4; mode < 10; ++mode) static_cast<void>(problem.evaluate(16, mode));
  for (const int block : {8, 16, 64}) EXPECT_EQ(problem.evaluate(block, 0)->samples.size(), 6u);
  const auto before = problem.device.counters();
  EXPECT_EQ(problem.evaluate(64, 9)->samples, (std::vector<Sample>{{Nanoseconds(9000)}}));
  EXPECT_EQ(problem.device.counters().launches - before.launches, 2);
  EXPECT_EQ(problem.device.counters().finishes - before.finishes, 3) << "behind both, and for two buffers' guard zones";
  EXPECT_EQ(problem.evaluate(64, 0)->samples.size(), 6u);
}

TEST(CheckContenders, WithSeveralObjectivesAllAreChecked) {
  ContestProblem problem(CheckOutput::contenders, {{"time", false}, {"size", true}});
  EXPECT_EQ(problem.evaluate(8, 2)->status, Status::correctness);
}

TEST(CheckNever, ChecksNothing) {
  ContestProblem problem(CheckOutput::never);
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
