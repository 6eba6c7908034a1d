// Expected costs of loads after one that took longer than a call may lose.
#include "dynamic/loading/load_cost.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

constexpr Nanoseconds kUsual = nanoseconds_from_ms(0.1);
constexpr Nanoseconds kSurprise = nanoseconds_from_ms(10);  // the budget gains as much in half a second

class LoadCosts : public testing::Test {
 protected:
  // Returns the seconds until the surprise is forgotten.
  double seconds_after_a_surprise() {
    cost_.learn_idle(kSurprise);
    const Nanoseconds began = now_;
    while (cost_.idle() >= kSurprise) {
      cost_.forgive(stall_budget_, now_);
      now_ += nanoseconds_from_seconds(0.01);
    }
    return to_seconds(now_ - began);
  }
  void load_as_usual() {
    cost_.forgive(stall_budget_, now_);
    cost_.learn_idle(kUsual);
  }

  StallBudget stall_budget_{{.share = 0.02, .longest = nanoseconds_from_ms(5)}};
  LoadCost cost_{kUsual};
  Nanoseconds now_;
};

TEST_F(LoadCosts, WhatIsAlwaysSlowIsTriedEverMoreRarely) {
  EXPECT_NEAR(seconds_after_a_surprise(), 0.5, 0.05);
  EXPECT_NEAR(seconds_after_a_surprise(), 1.0, 0.05);
  EXPECT_NEAR(seconds_after_a_surprise(), 2.0, 0.05);
}

TEST_F(LoadCosts, ARareSurpriseIsForgottenAsSoonEachTime) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(seconds_after_a_surprise(), 0.5, 0.05);
    for (int loads = 0; loads < 2; ++loads) load_as_usual();
  }
}

}  // namespace
}  // namespace wattune::dynamic
