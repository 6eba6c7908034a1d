// The measurements of configurations whose time, or the first part of a window, shows that they take more energy than
// the best.
#include "tune/energy/energy_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/interface/energy.h"
#include "tune/energy/energy_front.h"
#include "tune/observed_board.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

// The time and power of each mode of the kernel, on a board that draws 50 W with nothing to do. The first takes 0.5 J,
// of which 0.45 are dynamic. Three quarters of these, 0.3375 J, are taken as certain for the others.
struct Taking {
  double ms;
  double watts;
};
constexpr Taking kTaking[] = {{1, 500},    // 0.5 J
                              {4, 200},    // 0.8 J, and 0.2 + 0.3375 at least
                              {3, 140},    // 0.42 J, and 0.15 + 0.3375 at least
                              {11, 60},    // 0.66 J, and 0.55 at least without any dynamic energy
                              {3, 400},    // 1.2 J, and as the third at least
                              {1.5, 280},  // 0.42 J, and 0.075 + 0.3375 at least: edp 0.62 J ms, the first's 0.5
                              {1.1, 400}};

std::unique_ptr<measure::MeasurePolicy> racing_policy() {
  measure::SamplingOptions options;
  options.warm_up = Nanoseconds(0);
  return measure::make_gated(options);
}

KernelSpec spec_for(std::vector<Objective> objectives) {
  KernelSpec spec = scale_spec();
  spec.objectives = std::move(objectives);
  return spec;
}

struct RaceProblem : Problem {
  explicit RaceProblem(KernelSpec kernel_spec = spec_for({{"energy", false}}))
      : Problem(std::move(kernel_spec), [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
          WATTUNE_TRY(scale(launch));
          const Taking& taking = kTaking[static_cast<std::size_t>(launch.macro("mode"))];
          return board.run(Watts(taking.watts), nanoseconds_from_ms(taking.ms));
        }) {
    policy = racing_policy();
  }
  Result<void> begin(Nanoseconds window = nanoseconds_from_seconds(1)) {
    return start({.observe = {BoardMetric::power, BoardMetric::energy},
                  .energy_window = window,
                  .open_recorder = board.recorder_of(device)});
  }
  Observation measure(int mode) { return evaluate(16, mode).value(); }
  // Returns how long the board was busy with a mode.
  Nanoseconds time_of(int mode) {
    const Nanoseconds before = board.board.now();
    EXPECT_TRUE(measure(mode).ok());
    return board.board.now() - before;
  }
  ObservedBoard board;
};

std::optional<double> value(const Observation& observation, std::string_view name) {
  const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
  return found == observation.metrics.end() ? std::nullopt : std::optional(found->value);
}

TEST(EnergyRaces, WhatIsTooSlowForTheBestEnergyIsTimedAndNotMeasured) {
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  ASSERT_NEAR(*value(problem.measure(0), "energy"), 0.5, 0.01);
  const Nanoseconds before = problem.board.board.now();
  const Observation slow = problem.measure(1);
  EXPECT_LT(problem.board.board.now() - before, nanoseconds_from_ms(100));  // a window takes 1.5 s
  EXPECT_EQ(slow.status, Status::correct);
  EXPECT_TRUE(was_left_out(slow));
  EXPECT_EQ(to_ms(slow.statistics->median), 4.0);
  EXPECT_EQ(value(slow, "energy"), std::nullopt);
  EXPECT_EQ(value(slow, "power"), std::nullopt);
  EXPECT_NEAR(*value(slow, "energy_at_least"), 0.5375, 0.01);
  EXPECT_EQ(slow.objective(), *value(slow, "energy_at_least"));
}

TEST(EnergyRaces, WhatIsSlowerButMayTakeLessIsMeasured) {
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  ASSERT_TRUE(problem.measure(0).ok());
  const Observation slower = problem.measure(2);
  EXPECT_FALSE(was_left_out(slower));
  EXPECT_NEAR(slower.objective(), 0.42, 0.01);
}

// A resumed run knows the best, but no dynamic energy; then only the energy of idling is certain.
TEST(EnergyRaces, WithoutAnyMeasuredOnlyIdlingIsTakenForSure) {
  RaceProblem first;
  ASSERT_TRUE(first.begin());
  const Observation best = first.measure(0);
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  problem.evaluator->know_best(best);
  const Observation slow = problem.measure(3);
  EXPECT_NEAR(*value(slow, "energy_at_least"), 0.55, 0.01);
  EXPECT_FALSE(was_left_out(problem.measure(1)));
}

// A best that was itself left out, after the one before it failed in a final, does not say how good others must be.
TEST(EnergyRaces, NobodyRacesAgainstABound) {
  RaceProblem first;
  ASSERT_TRUE(first.begin());
  ASSERT_TRUE(first.measure(0).ok());
  const Observation bound = first.measure(1);
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  problem.evaluator->know_best(bound);
  EXPECT_FALSE(was_left_out(problem.measure(3)));
}

TEST(EnergyRaces, APolicyThatMeasuresAllAlikeMeasuresAllEnergies) {
  RaceProblem problem;
  problem.policy = quick_policy();
  ASSERT_TRUE(problem.begin());
  for (const int mode : {0, 1, 3, 4}) {
    const Observation observation = problem.measure(mode);
    EXPECT_TRUE(value(observation, "energy")) << mode;
    EXPECT_EQ(value(observation, "energy_window"), std::nullopt) << mode;
  }
}

TEST(EnergyRaces, EnergyTimesTimeLeavesLessTime) {
  RaceProblem problem(spec_for({{"edp", false}}));
  ASSERT_TRUE(problem.begin());
  ASSERT_NEAR(problem.measure(0).objective(), 0.5e-3, 0.01e-3);
  const Observation slow = problem.measure(5);
  EXPECT_TRUE(was_left_out(slow));
  EXPECT_NEAR(slow.objective(), (0.075 + 0.3375) * 1.5e-3, 0.01e-3);
  EXPECT_FALSE(was_left_out(problem.measure(6)));  // 0.3925 J * 1.1 ms = 0.43 J ms
  RaceProblem for_energy;
  ASSERT_TRUE(for_energy.begin());
  ASSERT_TRUE(for_energy.measure(0).ok());
  EXPECT_FALSE(was_left_out(for_energy.measure(5)));
}

// A run has 1,000 operations: 2,000 for each joule of the first mode, and at most 1,860 of the other.
TEST(EnergyRaces, ObjectivesToBeLargeRaceToo) {
  KernelSpec spec = spec_for({{"operations_per_joule", true}});
  spec.metrics.push_back({"operations", at_line("1000", 40)});
  RaceProblem problem(spec);
  ASSERT_TRUE(problem.begin());
  ASSERT_NEAR(problem.measure(0).objective(), -2000.0, 20.0);
  EXPECT_NEAR(problem.measure(1).objective(), -1000.0 / 0.5375, 20.0);
  EXPECT_FALSE(was_left_out(problem.measure(2)));
}

// A slower configuration draws less, may be on the Pareto front or within a slowdown, or counts by a formula.
TEST(EnergyRaces, OtherObjectivesMeasureEverything) {
  KernelSpec own = spec_for({{"edp", false}});
  own.metrics.push_back({"edp", at_line("energy - time", 40)});
  for (const KernelSpec& spec :
       {spec_for({{"power", false}}), spec_for({{"energy", false}, {"power", false}}),
        spec_for({{"power", false, 0.05}}), spec_for({{"energy", true}}), own, spec_for({{"time", false}})}) {
    RaceProblem problem(spec);
    ASSERT_TRUE(problem.begin());
    ASSERT_TRUE(problem.measure(0).ok());
    EXPECT_TRUE(value(problem.measure(3), "energy")) << spec.objectives.front().metric;
  }
}

// The second takes longer than the first and certainly more joules. The third may take less, and does. The fifth is as
// slow as the third and takes more, which part of a window shows.
TEST(EnergyRaces, OnAFrontOnlyWhatIsSlowerAndTakesMoreIsLeftOut) {
  RaceProblem problem(spec_for({{"time", false}, {"energy", false}}));
  ASSERT_TRUE(problem.begin());
  ASSERT_TRUE(problem.measure(0).ok());
  const Observation slow = problem.measure(1);
  EXPECT_TRUE(was_left_out(slow));
  EXPECT_EQ(slow.objective(), nanoseconds_from_ms(4).value());
  const Observation frugal = problem.measure(2);
  EXPECT_NEAR(*value(frugal, "energy"), 0.42, 0.01);
  EXPECT_EQ(value(frugal, "energy_window"), std::nullopt);
  EXPECT_LT(value(problem.measure(4), "energy_window"), 0.5);
}

// A time of 1.5 ms is beyond 1.25 times the fastest, whatever its energy.
TEST(EnergyRaces, UnderASlowdownWhatCannotCountIsNotMeasured) {
  RaceProblem problem(spec_for({{"energy", false, 0.25}}));
  ASSERT_TRUE(problem.begin());
  ASSERT_TRUE(problem.measure(0).ok());
  EXPECT_TRUE(was_left_out(problem.measure(5)));
  EXPECT_NEAR(problem.measure(6).objective(), 0.44, 0.01);
}

// The third takes the least, until a configuration is found beside which it is too slow to count.
TEST(EnergyRaces, UnderASlowdownWhatIsFasterIsMeasuredWhole) {
  RaceProblem problem(spec_for({{"energy", false, 0.25}}));
  ASSERT_TRUE(problem.begin());
  ASSERT_TRUE(problem.measure(2).ok());
  const Observation faster = problem.measure(0);
  EXPECT_EQ(value(faster, "energy_window"), std::nullopt);
  EXPECT_NEAR(faster.objective(), 0.5, 0.01);
}

Observation measured(double ms, std::optional<double> joules) {
  Observation observation;
  const Nanoseconds time = nanoseconds_from_ms(ms);
  observation.statistics = Statistics{.median = time, .interval_low = 0.9 * time, .interval_high = time};
  if (joules) observation.metrics = {{"energy", *joules, "J", 0.1}};
  return observation;
}

// Each energy is known to 0.1 J.
TEST(EnergyFront, KnowsTheLeastEnergyOfWhatIsAsFast) {
  EnergyFront front;
  EXPECT_EQ(front.most_energy(nanoseconds_from_ms(9)), std::nullopt);
  front.learn(measured(2, 1.0));
  front.learn(measured(3, 2.0));  // worse than the first in both
  front.learn(measured(4, 0.5));
  EXPECT_EQ(front.most_energy(nanoseconds_from_ms(1)), std::nullopt);
  EXPECT_EQ(front.most_energy(nanoseconds_from_ms(3)), Joules(1.1));
  EXPECT_EQ(front.most_energy(nanoseconds_from_ms(5)), Joules(0.6));
  EXPECT_TRUE(std::isinf(front.longest_time().value()));
}

TEST(EnergyFront, TheFastestSaysHowLongARunMayTake) {
  EnergyFront front(0.5);
  EXPECT_TRUE(std::isinf(front.longest_time().value()));
  front.learn(measured(4, {}));
  front.learn(measured(2, {}));
  front.learn(measured(8, 1.0));
  EXPECT_EQ(to_ms(front.longest_time()), 3.0);
}

// The window has three publications of 100 ms and half of the power sensor's 100 ms. Then 1.2 J are known to a tenth,
// and the best takes 0.5 J.
TEST(EnergyRaces, AWindowEndsWhenItIsSureThatTheBestTakesLess) {
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  EXPECT_EQ(value(problem.measure(0), "energy_window"), std::nullopt);
  const Observation worse = problem.measure(4);
  EXPECT_NEAR(*value(worse, "energy_window"), 0.35, 0.06);
  const auto energy = std::ranges::find(worse.metrics, "energy", &Metric::name);
  EXPECT_LE(std::abs(energy->value - 1.2), *energy->uncertainty);
  EXPECT_EQ(worse.objective(), energy->value);
}

// The turns of a final must not be judged by a window that ended early.
TEST(EnergyRaces, WhatATurnTakesIsThatOfAWholeWindow) {
  RaceProblem problem;
  ASSERT_TRUE(problem.begin());
  ASSERT_TRUE(problem.measure(0).ok());
  const Nanoseconds whole = problem.evaluator->turn_overhead();
  ASSERT_TRUE(problem.measure(4).ok());
  EXPECT_EQ(problem.evaluator->turn_overhead(), whole);
}

// Restoring `y` takes 2 ms before each run, and is measured in a window of its own: 1.6 s each.
TEST(EnergyRaces, RestoringIsMeasuredOnce) {
  KernelSpec spec = spec_for({{"energy", false}});
  spec.arguments[0] = vector_argument("y", ArgumentAccess::read_write);
  RaceProblem problem(spec);
  problem.device.slow_transfers(nanoseconds_from_ms(2));
  ASSERT_TRUE(problem.begin());
  const Nanoseconds both = problem.time_of(0);
  const Nanoseconds one = problem.time_of(2);  // which is better, so that its window is whole
  EXPECT_LT(one, 0.6 * both);
  EXPECT_NEAR(problem.measure(2).objective(), 0.42, 0.02);
}

TEST(LeastDynamicEnergy, IsThatOfEachSetting) {
  LeastDynamicEnergy least;
  const LeastDynamicEnergy::Setting low = backend::BoardSetting{.graphics = Megahertz(1005)};
  EXPECT_EQ(least.at(low), std::nullopt);
  least.learn(low, Joules(2));
  least.learn(low, Joules(3));
  least.learn({}, Joules(-1));  // of a board whose idle power was measured while it was warmer
  EXPECT_EQ(least.at(low), Joules(2));
  EXPECT_EQ(least.at({}), Joules(0));
}

}  // namespace
}  // namespace wattune::tune
