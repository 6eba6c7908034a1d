#include "measure/interface/half.h"

#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::measure {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

TEST(Half, DecodesEachKindOfNumber) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);  // the largest
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);  // the smallest normal
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);  // the smallest subnormal
  EXPECT_EQ(half_to_float(0x7c00), kFloatInfinity);
  EXPECT_EQ(half_to_float(0xfc00), -kFloatInfinity);
  EXPECT_TRUE(std::isnan(half_to_float(0x7e00)));
  EXPECT_TRUE(std::isnan(half_to_float(0xffff)));  // the poison pattern
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

TEST(Half, EveryValueSurvivesBothWays) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(half_from_double(value), bits);
    }
  }
}

// Between 1 and 2 the step is 2^-10; half a step is a tie, which goes to the even neighbour.
TEST(Half, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(half_from_double(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half_from_double(1.0 + 0x1p-11 + 0x1p-30), 0x3c01);
  EXPECT_EQ(half_from_double(1.0 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(half_from_double(2.0 - 0x1p-12), 0x4000);      // carries into the exponent
  EXPECT_EQ(half_from_double(0x1p-14 - 0x1p-26), 0x0400);  // a subnormal rounds up to the smallest normal
  EXPECT_EQ(half_from_double(0x1p-26), 0x0000);
}

TEST(Half, TooLargeBecomesInfinity) {
  EXPECT_EQ(half_from_double(65519.9), 0x7bff);
  EXPECT_EQ(half_from_double(65520.0), 0x7c00);
  EXPECT_EQ(half_from_double(-1e300), 0xfc00);
}

TEST(BFloat, EveryValueSurvivesBothWays) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = bfloat_to_float(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(bfloat_from_double(value), bits);
    }
  }
}

// Between 1 and 2 the step is 2^-7.
TEST(BFloat, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(bfloat_from_double(1.0), 0x3f80);
  EXPECT_EQ(bfloat_from_double(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat_from_double(1.0 + 0x1p-8 + 0x1p-20), 0x3f81);
  EXPECT_EQ(bfloat_from_double(1.0 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(bfloat_from_double(1e300), 0x7f80);  // infinity
  EXPECT_TRUE(std::isnan(bfloat_to_float(bfloat_from_double(std::numeric_limits<double>::quiet_NaN()))));
}

}  // namespace
}  // namespace wattune::measure
