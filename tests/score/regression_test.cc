#include <gtest/gtest.h>

#include "score/isotonic.h"
#include "score/monotone_cubic.h"

namespace wattune::inline v0_1::score {
namespace {

// The first two rise, so they share their mean 3.5; between points the fit is linear, outside it is constant.
TEST(DecreasingFit, PoolsWhatRises) {
  const DecreasingFit fit({{1, 3, 1}, {2, 4, 1}, {3, 2, 1}, {4, 1, 1}});
  EXPECT_EQ(fit.at({0, 1, 2, 2.5, 3, 4, 9}), (std::vector<double>{3.5, 3.5, 3.5, 2.75, 2, 1, 1}));
}

// (1 * 3 + 3 * 7) / 4 = 6.
TEST(DecreasingFit, WeighsPoints) {
  EXPECT_EQ(DecreasingFit({{1, 3, 1}, {2, 7, 3}}).at({1.5}), std::vector<double>{6});
}

// At x = 1 the mean is 4; 4, 2 falls.
TEST(DecreasingFit, AveragesEqualTimes) {
  EXPECT_EQ(DecreasingFit({{1, 3, 1}, {1, 5, 1}, {2, 2, 1}}).at({1, 2}), (std::vector<double>{4, 2}));
}

// 3 absorbs 4, and the pool of 3.5 in turn 6: all have (3 + 4 + 6) / 3.
TEST(DecreasingFit, PoolsBackwards) {
  for (const double value : DecreasingFit({{1, 3, 1}, {2, 4, 1}, {3, 6, 1}}).at({1, 2, 3}))
    EXPECT_NEAR(value, 13.0 / 3.0, 1e-12);
}

TEST(MonotoneCubic, KeepsLines) {
  const MonotoneCubic line({1, 2, 4}, {4, 3, 1});
  for (const double x : {1.0, 1.25, 2.0, 3.5, 4.0}) EXPECT_NEAR(line(x), 5 - x, 1e-12);
}

TEST(MonotoneCubic, OfTwoPointsIsALine) { EXPECT_DOUBLE_EQ(MonotoneCubic({0, 2}, {1, 5})(0.5), 2.0); }

// Slopes: (3 * 1 - 0) / 2 = 1.5 at 0; 0 at 1 and 2, next to a level piece. At 0.5: 1.5 * 0.5 * 0.25 + 2 * 0.25 =
// 0.6875.
TEST(MonotoneCubic, NeverOvershoots) {
  const MonotoneCubic curve({0, 1, 2}, {0, 1, 1});
  EXPECT_DOUBLE_EQ(curve(0.5), 0.6875);
  for (const double x : {1.0, 1.3, 1.7, 2.0}) EXPECT_DOUBLE_EQ(curve(x), 1.0);
}

// Secants 1 and 4 with equal widths: the slope at 1 is their harmonic mean 6 / (3 / 1 + 3 / 4) = 1.6; at the ends
// (3 - 4) / 2 < 0, so 0, and (12 - 1) / 2 = 5.5. At 1.5: (1 + 5) / 2 + (1.6 - 5.5) / 8 = 2.5125.
TEST(MonotoneCubic, WeighsTheSecantsHarmonically) {
  EXPECT_NEAR(MonotoneCubic({0, 1, 2}, {0, 1, 5})(1.5), 2.5125, 1e-12);
}

}  // namespace
}  // namespace wattune::score
