#include "wattune/search/stop_rule.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::search {
namespace {

Progress after(std::uint64_t evaluations) {
  Progress progress;
  progress.evaluations = evaluations;
  progress.space_size = 1000;
  return progress;
}

TEST(StopRule, WithoutAnyRuleNeverStops) {
  EXPECT_EQ(StopRule{}.reason_to_stop(after(1'000'000)), std::nullopt);
  EXPECT_EQ(StopRule{}.evaluations_left(after(3)), std::nullopt);
}

TEST(StopRule, EvaluationsStopAtTheCount) {
  const StopRule rule{.evaluations = 20};
  EXPECT_EQ(rule.reason_to_stop(after(19)), std::nullopt);
  EXPECT_EQ(rule.reason_to_stop(after(20))->text, "20 evaluations done");
  EXPECT_EQ(rule.evaluations_left(after(15)), 5u);
  EXPECT_EQ(rule.evaluations_left(after(25)), 0u);
}

// If no rule counts evaluations, a good configuration may come after the skipped ones.
TEST(StopRule, SkippedOnesInARowStopACount) {
  Progress progress;
  progress.space_size = 1'000'000;
  progress.skipped_in_a_row = 9'999;
  const StopRule count{.evaluations = 10};
  EXPECT_FALSE(count.reason_to_stop(progress));
  progress.skipped_in_a_row = 10'000;
  EXPECT_EQ(count.reason_to_stop(progress)->text, "10000 configurations in a row were skipped");
  EXPECT_FALSE(StopRule{}.reason_to_stop(progress));
}

// A quarter of 1000 is 250; a fraction that holds no configuration still means one.
TEST(StopRule, FractionCountsTheSpaceRoundedUp) {
  const StopRule quarter{.fraction = 0.25};
  EXPECT_EQ(quarter.reason_to_stop(after(249)), std::nullopt);
  EXPECT_EQ(quarter.reason_to_stop(after(250))->text, "250 evaluations done, 25 % of the space");
  EXPECT_EQ(StopRule{.fraction = 1e-9}.evaluations_left(after(0)), 1u);
  Progress huge = after(0);
  huge.space_size = ~Uint128{0};
  EXPECT_EQ(StopRule{.fraction = 1.0}.evaluations_left(huge), ~std::uint64_t{0});
}

TEST(StopRule, TheFirstRuleThatIsMetCounts) {
  const StopRule rule{.evaluations = 300, .fraction = 0.25};
  EXPECT_EQ(rule.evaluations_left(after(240)), 10u);
}

TEST(StopRule, TargetNeedsAMeasurementAtOrBelowIt) {
  const StopRule rule{.target = 1.5e6};
  Progress progress = after(5);
  EXPECT_EQ(rule.reason_to_stop(progress), std::nullopt);
  progress.best_objective = 1.6e6;
  EXPECT_EQ(rule.reason_to_stop(progress), std::nullopt);
  progress.best_objective = 1.5e6;
  EXPECT_EQ(rule.reason_to_stop(progress)->text, "target of 1.5 ms reached");
}

TEST(StopRule, StopsAfterTimeAndWithoutImprovement) {
  Progress progress = after(5);
  progress.elapsed = nanoseconds_from_seconds(60);
  progress.since_improvement = 4;
  EXPECT_EQ(StopRule{.time = nanoseconds_from_seconds(60)}.reason_to_stop(progress)->text, "60 s passed");
  EXPECT_EQ(StopRule{.time = nanoseconds_from_seconds(61)}.reason_to_stop(progress), std::nullopt);
  EXPECT_EQ(StopRule{.no_improvement = 4}.reason_to_stop(progress)->text, "no improvement in 4 evaluations");
  EXPECT_EQ(StopRule{.no_improvement = 5}.reason_to_stop(progress), std::nullopt);
}

TEST(StopRule, RefusesValuesOutOfRange) {
  EXPECT_TRUE(StopRule{.fraction = 1.0}.validate());
  EXPECT_EQ(StopRule{.fraction = 0.0}.validate().error().to_string(), "fraction must be above 0 and at most 1: `0`");
  EXPECT_FALSE(StopRule{.fraction = 1.01}.validate());
  EXPECT_EQ(StopRule{.evaluations = 0}.validate().error().to_string(), "evaluations must be 1 or more: `0`");
  EXPECT_FALSE(StopRule{.no_improvement = 0}.validate());
  EXPECT_FALSE(StopRule{.time = Nanoseconds(-1.0)}.validate());
  EXPECT_FALSE(StopRule{.target = -1.0}.validate());
}

}  // namespace
}  // namespace wattune::search
