// The expected cost of a step of screening after one that was slow because the machine was busy.
#include "dynamic/screening/step_cost.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

constexpr Nanoseconds kFirstStep = nanoseconds_from_ms(10);
constexpr Nanoseconds kUsualStep = nanoseconds_from_ms(2);
constexpr Nanoseconds kSlowStep = nanoseconds_from_ms(300);  // the budget gains as much in 15 s

class StepCosts : public testing::Test {
 protected:
  // Returns the seconds until slow steps are forgotten, while no step pays.
  double seconds_until_forgotten() {
    const Nanoseconds began = now_;
    while (cost_.value() > kFirstStep && now_ - began < nanoseconds_from_seconds(1000)) {
      cost_.forgive(stall_budget_, now_);
      now_ += nanoseconds_from_seconds(0.1);
    }
    return to_seconds(now_ - began);
  }

  StallBudget stall_budget_{{.share = 0.02}};
  StepCost cost_{kFirstStep};
  Nanoseconds now_;
};

TEST_F(StepCosts, OneSlowStepIsForgottenOnceTheBudgetHasGainedItsCost) {
  cost_.learn(kSlowStep);
  EXPECT_EQ(cost_.value(), kSlowStep);
  EXPECT_NEAR(seconds_until_forgotten(), 15.0, 0.5);
  EXPECT_EQ(cost_.value(), kFirstStep);
}

TEST_F(StepCosts, AmongOthersASlowStepIsForgottenAlone) {
  for (int i = 0; i < 3; ++i) cost_.learn(kUsualStep);
  cost_.learn(kSlowStep);
  EXPECT_NEAR(cost_.value().value(), 0.25 * (3.0 * kUsualStep + kSlowStep).value(), 1.0);
  seconds_until_forgotten();
  EXPECT_EQ(cost_.value(), kUsualStep);
}

TEST_F(StepCosts, WhatIsAlwaysSlowIsTriedEverMoreRarely) {
  for (const double seconds : {15.0, 30.0, 60.0}) {
    cost_.learn(kSlowStep);
    EXPECT_NEAR(seconds_until_forgotten(), seconds, 0.5);
  }
  for (int i = 0; i < 2; ++i) cost_.learn(kUsualStep);
  cost_.learn(kSlowStep);
  EXPECT_LT(seconds_until_forgotten(), 10.0) << "others are known to be fast again";
}

TEST_F(StepCosts, StepsThatAreAllAlikeAreNotForgotten) {
  for (int i = 0; i < 8; ++i) cost_.learn(kUsualStep);
  for (int i = 0; i < 1000; ++i) cost_.forgive(stall_budget_, now_ += nanoseconds_from_seconds(1));
  EXPECT_EQ(cost_.value(), kUsualStep);
}

TEST_F(StepCosts, TheMeanIsThatOfTheLastEight) {
  for (int i = 0; i < 8; ++i) cost_.learn(nanoseconds_from_ms(4));
  for (int i = 0; i < 4; ++i) cost_.learn(kUsualStep);
  EXPECT_EQ(cost_.value(), nanoseconds_from_ms(3));
}

}  // namespace
}  // namespace wattune::dynamic
