#include "dynamic/tuning/lookahead.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

constexpr Nanoseconds kNothing;
constexpr Nanoseconds kLong = nanoseconds_from_ms(50);

TEST(Lookahead, GrowsWhileStepsWaitForCompilers) {
  Lookahead lookahead(4);
  EXPECT_EQ(lookahead.value(), 2u);
  lookahead.learn(kLong, kNothing);
  EXPECT_EQ(lookahead.value(), 3u);
  for (int i = 0; i < 5; ++i) lookahead.learn(kLong, kNothing);
  EXPECT_EQ(lookahead.value(), 4u);
}

TEST(Lookahead, ShrinksWhereTheyWaitForTheBudgetAlone) {
  Lookahead lookahead(6);
  lookahead.learn(kLong, 2.0 * kLong);
  EXPECT_EQ(lookahead.value(), 2u) << "both waits are needed";
  lookahead.learn(kNothing, kLong);
  EXPECT_EQ(lookahead.value(), 1u);
  lookahead.learn(kNothing, kLong);
  EXPECT_EQ(lookahead.value(), 1u);
}

TEST(Lookahead, IsOneWhereNothingCompilesAhead) { EXPECT_EQ(Lookahead(0).value(), 1u); }

}  // namespace
}  // namespace wattune::dynamic
