#include "cli/tune/plan.h"

#include <gtest/gtest.h>

namespace wattune::cli {
namespace {

space::SearchSpace space_of_three() {
  return space::SearchSpace::build({{.name = "p", .values = {1, 2, 3}}}, {}).value();
}

TEST(Explanation, NamesTheSizeTheStrategyAndTheRules) {
  const space::SearchSpace space = space_of_three();
  EXPECT_EQ(explain(tune::make_plan({}, space), space),
            "3 valid configurations, strategy exhaustive, until the whole space");
  EXPECT_EQ(explain(tune::make_plan({}, space, "random", {.evaluations = 2}), space),
            "3 valid configurations, strategy random, until 2 evaluations");
}

TEST(Explanation, SaysWhoseRulesTheyAre) {
  const space::SearchSpace space = space_of_three();
  KernelSpec spec;
  spec.budget.seconds = 10.0;
  EXPECT_EQ(explain(tune::make_plan(spec, space, "random"), space),
            "3 valid configurations, strategy random, until 10 s (the spec's budget)");
}

}  // namespace
}  // namespace wattune::cli
