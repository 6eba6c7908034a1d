#include "wattune/tune/session.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::tune {
namespace {

space::SearchSpace space_of_size(int values) {
  Parameter parameter;
  parameter.name = "p";
  for (int i = 0; i < values; ++i) parameter.values.emplace_back(i);
  return space::SearchSpace::build({parameter}, {}).value();
}

TEST(Plan, SearchesASmallSpaceCompletely) {
  const Plan plan = make_plan({}, space_of_size(200));
  EXPECT_EQ(plan.strategy, "exhaustive");
  EXPECT_FALSE(plan.stop.time);
  EXPECT_EQ(plan.limit, Plan::Limit::none);
}

TEST(Plan, GivesALargeSpaceFiveMinutes) {
  const Plan plan = make_plan({}, space_of_size(201));
  EXPECT_EQ(plan.strategy, "auto");
  EXPECT_EQ(plan.stop.time, nanoseconds_from_seconds(300));
  EXPECT_EQ(plan.limit, Plan::Limit::standard);
}

TEST(Plan, TakesTheSpecsBudgetAndStrategy) {
  KernelSpec spec;
  spec.budget = {.evaluations = 50, .seconds = 10.0};
  spec.strategy = "random";
  const Plan plan = make_plan(spec, space_of_size(1000));
  EXPECT_EQ(plan.strategy, "random");
  EXPECT_EQ(plan.stop.evaluations, 50u);
  EXPECT_EQ(plan.stop.time, nanoseconds_from_seconds(10));
  EXPECT_EQ(plan.limit, Plan::Limit::spec);
}

TEST(Plan, AnyRuleOfTheUserReplacesTheWholeBudgetOfTheSpec) {
  KernelSpec spec;
  spec.budget = {.evaluations = 50, .seconds = 10.0};
  spec.strategy = "random";
  const Plan plan = make_plan(spec, space_of_size(1000), "simulated_annealing", {.evaluations = 70});
  EXPECT_EQ(plan.strategy, "simulated_annealing");
  EXPECT_EQ(plan.stop.evaluations, 70u);
  EXPECT_FALSE(plan.stop.time);
  EXPECT_EQ(plan.limit, Plan::Limit::user);
}

TEST(Plan, IsExhaustiveOnlyWhereTheBudgetReachesEverything) {
  EXPECT_EQ(make_plan({}, space_of_size(100), "", {.evaluations = 99}).strategy, "auto");
  EXPECT_EQ(make_plan({}, space_of_size(100), "", {.evaluations = 100}).strategy, "exhaustive");
  EXPECT_EQ(make_plan({}, space_of_size(1000), "", {.fraction = 1.0}).strategy, "exhaustive");
  EXPECT_EQ(make_plan({}, space_of_size(1000), "", {.fraction = 0.5}).strategy, "auto");
  EXPECT_EQ(make_plan({}, space_of_size(100), "", {.time = nanoseconds_from_seconds(60)}).strategy, "auto");
}

TEST(Plan, GoesThroughEverythingWhenTheUserSaysExhaustive) {
  const Plan plan = make_plan({}, space_of_size(1000), "exhaustive");
  EXPECT_FALSE(plan.stop.time);
  EXPECT_FALSE(plan.stop.evaluations);
}

}  // namespace
}  // namespace wattune::tune
