#include "core/normal.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

// The constant leaves 2.5 % above and as many below.
TEST(Normal, ItsConstantHoldsNinetyFivePercent) {
  EXPECT_NEAR(normal_share_below(kNormal95), 0.975, 1e-8);
  EXPECT_NEAR(normal_share_below(-kNormal95), 0.025, 1e-8);
  EXPECT_DOUBLE_EQ(normal_share_below(0.0), 0.5);
}

// The density is the slope of the share.
TEST(Normal, DensityIsHowFastTheShareGrows) {
  constexpr double kStep = 1e-5;
  for (const double at : {-2.0, 0.0, 0.7}) {
    const double slope = (normal_share_below(at + kStep) - normal_share_below(at - kStep)) / (2.0 * kStep);
    EXPECT_NEAR(normal_density(at), slope, 1e-9) << at;
  }
}

// If mean and best agree, the improvement is the deviation times 1 / sqrt(2 pi) = 0.398942. Far below the best it is
// the difference to the mean, far above it nothing.
TEST(Normal, ExpectedImprovementIsTheMeanOfWhatIsGained) {
  EXPECT_NEAR(expected_improvement(5.0, 2.0, 5.0), 2.0 * 0.398942, 1e-6);
  EXPECT_NEAR(expected_improvement(1.0, 0.1, 5.0), 4.0, 1e-9);
  EXPECT_NEAR(expected_improvement(9.0, 0.1, 5.0), 0.0, 1e-9);
}

}  // namespace
}  // namespace wattune
