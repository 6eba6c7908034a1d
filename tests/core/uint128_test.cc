#include "wattune/core/uint128.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

constexpr Uint128 kMax = ~Uint128{0};

TEST(Uint128, PrintsAllDigits) {
  EXPECT_EQ(to_string(Uint128{0}), "0");
  EXPECT_EQ(to_string(Uint128{1} << 64), "18446744073709551616");
  EXPECT_EQ(to_string(kMax), "340282366920938463463374607431768211455");
}

TEST(Uint128, ReadsWhatItPrints) {
  for (const Uint128 value : {Uint128{0}, Uint128{9}, Uint128{1} << 100, kMax})
    EXPECT_TRUE(parse_uint128(to_string(value)) == value);
}

TEST(Uint128, RefusesWhatIsNoNumberOrTooLarge) {
  EXPECT_FALSE(parse_uint128(""));
  EXPECT_FALSE(parse_uint128("-1"));
  EXPECT_FALSE(parse_uint128("12a"));
  EXPECT_FALSE(parse_uint128("340282366920938463463374607431768211456"));
  EXPECT_FALSE(parse_uint128("3402823669209384634633746074317682114550"));
}

}  // namespace
}  // namespace wattune
