#include "dynamic/tuning/amortisation.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

// Petrovic et al. 2020, section 5.4: kernels take 10 ms on average and 5 ms well tuned; 100 steps; rp is 90 %.
TEST(Amortisation, TakesThePapersNumberOfCalls) {
  EXPECT_NEAR(calls_to_amortise({.steps = 100, .slowness = 2.0, .share = 0.1}), 900.0, 1e-9);
}

TEST(Amortisation, WhatIsNoSlowerPaysAtOnce) {
  EXPECT_EQ(calls_to_amortise({.steps = 100, .slowness = 1.0, .share = 0.02}), 0.0);
}

// The same section: a good one among a hundred is found with 90 %. The formula gives 229.1, which the paper rounds up.
TEST(Amortisation, TakesThePapersNumberOfSteps) { EXPECT_NEAR(steps_to_meet(0.01, 0.9), 229.1, 0.05); }

TEST(TuningOccasion, ComesOnceWithEnoughCalls) {
  TuningOccasion occasion({.calls_before_tuning = 3}, false);
  EXPECT_FALSE(occasion.begins(2));
  EXPECT_TRUE(occasion.begins(3));
  EXPECT_FALSE(occasion.begins(4));
}

TEST(TuningOccasion, ComesWithTheFirstCallUnlessItIsSaidOtherwise) {
  EXPECT_TRUE(TuningOccasion(TuningPolicy{}, false).begins(0));
}

TEST(TuningOccasion, DoesNotComeForWhatIsKnownUnlessThatIsTunedToo) {
  EXPECT_FALSE(TuningOccasion(TuningPolicy{}, true).begins(1000));
  EXPECT_TRUE(TuningOccasion({.tune_known = true}, true).begins(0));
}

TEST(TuningOccasion, ComesAgainWheneverItIsAskedFor) {
  TuningOccasion occasion(TuningPolicy{}, true);
  occasion.ask();
  EXPECT_TRUE(occasion.begins(0));
  EXPECT_FALSE(occasion.begins(1));
  occasion.ask();
  EXPECT_TRUE(occasion.begins(2));
}

}  // namespace
}  // namespace wattune::dynamic
