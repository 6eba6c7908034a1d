#include "space/expression/arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace wattune::inline v0_1::space {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Scalar integer(std::int64_t value) { return Scalar(value); }

TEST(Arithmetic, IntegersFailOnlyWhereTheResultLeaves64Bits) {
  std::int64_t result = 0;
  EXPECT_EQ(add(kMax, 0, result), Fault::none);
  EXPECT_EQ(add(kMax, 1, result), Fault::overflow);
  EXPECT_EQ(subtract(kMin, 1, result), Fault::overflow);
  EXPECT_EQ(multiply(kMin, -1, result), Fault::overflow);
  EXPECT_EQ(floor_divide(kMin, -1, result), Fault::overflow);
  EXPECT_EQ(modulo(kMin, -1, result), Fault::none);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(power(-2, 63, result), Fault::none);
  EXPECT_EQ(result, kMin);
  EXPECT_EQ(power(2, 63, result), Fault::overflow);
  EXPECT_EQ(power(-1, kMax, result), Fault::none);
  EXPECT_EQ(result, -1);
}

TEST(Arithmetic, FloorDivisionAndModuloRestoreTheDividend) {
  for (std::int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    for (std::int64_t b : {-4, -3, -1, 1, 3, 4}) {
      std::int64_t quotient = 0;
      std::int64_t remainder = 0;
      ASSERT_EQ(floor_divide(a, b, quotient), Fault::none);
      ASSERT_EQ(modulo(a, b, remainder), Fault::none);
      EXPECT_EQ(quotient * b + remainder, a) << a << ", " << b;
      EXPECT_EQ(quotient, static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))));
    }
  }
}

TEST(Arithmetic, ZeroDivisorsAreFaults) {
  std::int64_t result = 0;
  double real = 0.0;
  EXPECT_EQ(floor_divide(1, 0, result), Fault::division_by_zero);
  EXPECT_EQ(modulo(1, 0, result), Fault::division_by_zero);
  EXPECT_EQ(divide(1, 0, real), Fault::division_by_zero);
}

TEST(Arithmetic, TrueDivisionRoundsOnceAlsoBeyond53Bits) {
  double result = 0.0;
  // 2^53 + 1 lies half-way between two doubles, and is rounded to the even one.
  ASSERT_EQ(divide((std::int64_t{1} << 53) + 1, 1, result), Fault::none);
  EXPECT_EQ(result, 0x1p53);
  // Doubles from 2^62 on are 2^10 apart. 2^62 + 2^9 lies half-way, and one more is rounded up.
  ASSERT_EQ(divide((std::int64_t{1} << 62) + 513, 1, result), Fault::none);
  EXPECT_EQ(result, 0x1p62 + 1024.0);
  ASSERT_EQ(divide((std::int64_t{1} << 62) + 512, 1, result), Fault::none);
  EXPECT_EQ(result, 0x1p62);
  // 2^53 + 1 is a multiple of 3. Dividing the double nearest to it gives half less.
  ASSERT_EQ(divide((std::int64_t{1} << 53) + 1, 3, result), Fault::none);
  EXPECT_EQ(result, 3002399751580331.0);
  ASSERT_EQ(divide(kMin, kMin, result), Fault::none);
  EXPECT_EQ(result, 1.0);
}

TEST(Arithmetic, ResultMayBeAnOperand) {
  Scalar a = integer(7);
  ASSERT_EQ(apply(BinaryOperator::divide, a, integer(2), a), Fault::none);
  EXPECT_EQ(a.real, 3.5);
  Scalar b = integer(3);
  ASSERT_EQ(apply(BinaryOperator::subtract, integer(10), b, b), Fault::none);
  EXPECT_EQ(b.integer, 7);
  ASSERT_EQ(apply(UnaryOperator::negate, b, b), Fault::none);
  EXPECT_EQ(b.integer, -7);
}

TEST(Arithmetic, ShortCutAndGeneralPathAgree) {
  constexpr std::array kOperators = {BinaryOperator::add,          BinaryOperator::subtract, BinaryOperator::multiply,
                                     BinaryOperator::floor_divide, BinaryOperator::modulo,   BinaryOperator::divide,
                                     BinaryOperator::power};
  for (const std::int64_t a : {kMin, std::int64_t{-5}, std::int64_t{0}, std::int64_t{3}, kMax}) {
    for (const std::int64_t b : {kMin, std::int64_t{-2}, std::int64_t{0}, std::int64_t{2}, kMax}) {
      for (const BinaryOperator op : kOperators) {
        Scalar quick;
        Scalar general;
        const Fault fault = apply(op, integer(a), integer(b), quick);
        EXPECT_EQ(fault, apply_general(op, integer(a), integer(b), general));
        if (fault == Fault::none) {
          EXPECT_EQ(quick.to_value(), general.to_value());
        }
      }
      for (const Comparison comparison : {Comparison::equal, Comparison::not_equal, Comparison::less,
                                          Comparison::less_equal, Comparison::greater, Comparison::greater_equal}) {
        bool quick = false;
        bool general = false;
        EXPECT_EQ(compare(comparison, integer(a), integer(b), quick), Fault::none);
        EXPECT_EQ(compare_general(comparison, integer(a), integer(b), general), Fault::none);
        EXPECT_EQ(quick, general);
      }
    }
  }
}

TEST(Arithmetic, ComparesIntegersWithRealsExactly) {
  const Scalar big(0x1p63);
  bool result = false;
  ASSERT_EQ(compare(Comparison::less, integer(kMax), big, result), Fault::none);
  EXPECT_TRUE(result);
  ASSERT_EQ(compare(Comparison::greater, big, integer(kMax), result), Fault::none);
  EXPECT_TRUE(result);
  EXPECT_FALSE(equal(integer(kMax), big));
  EXPECT_TRUE(equal(integer(kMin), Scalar(-0x1p63)));
  EXPECT_FALSE(equal(integer(0), Scalar(std::nan(""))));
}

TEST(Arithmetic, StringsAreReferredToNotCopied) {
  const Value text("tile");
  const Scalar scalar(text);
  EXPECT_EQ(scalar.string, &text.as_string());
  EXPECT_EQ(scalar.to_value(), text);
  Scalar result;
  EXPECT_EQ(apply(BinaryOperator::add, scalar, scalar, result), Fault::wrong_type);
  EXPECT_EQ(apply(UnaryOperator::negate, scalar, result), Fault::wrong_type);
}

}  // namespace
}  // namespace wattune::space
