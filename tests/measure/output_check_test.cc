#include "measure/interface/output_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace wattune::inline v0_1::measure {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

template <typename T>
std::optional<Mismatch> compare(const std::vector<T>& actual, const std::vector<T>& expected, ElementType type,
                                ResolvedTolerance tolerance = {}) {
  return measure::compare(std::as_bytes(std::span(actual)), std::as_bytes(std::span(expected)), type, tolerance);
}

bool floats_agree(double actual, double expected, ResolvedTolerance tolerance = {}) {
  return !compare<double>({actual}, {expected}, ElementType::float64, tolerance);
}

TEST(Tolerance, IsCompletedByElementType) {
  EXPECT_EQ(resolve_tolerance({}, ElementType::int32).absolute, 0.0);
  EXPECT_EQ(resolve_tolerance({}, ElementType::float32).relative, 1e-4);
  EXPECT_EQ(resolve_tolerance({}, ElementType::float64).absolute, 1e-12);
  const ResolvedTolerance half = resolve_tolerance({.absolute = 0.5, .relative = {}}, ElementType::float16);
  EXPECT_EQ(half.absolute, 0.5);
  EXPECT_EQ(half.relative, 1e-2);
}

// |actual - expected| <= 0.5 + 0.25 * 4 = 1.5.
TEST(OutputCheck, AddsAbsoluteAndRelativeTolerance) {
  const ResolvedTolerance tolerance{0.5, 0.25};
  EXPECT_TRUE(floats_agree(5.5, 4.0, tolerance));
  EXPECT_TRUE(floats_agree(2.5, 4.0, tolerance));
  EXPECT_FALSE(floats_agree(5.625, 4.0, tolerance));
  EXPECT_TRUE(floats_agree(-5.5, -4.0, tolerance));
}

TEST(OutputCheck, NaNAgreesWithNaNOnly) {
  EXPECT_TRUE(floats_agree(kNaN, kNaN));
  EXPECT_FALSE(floats_agree(kNaN, 1.0, {1e9, 1e9}));
  EXPECT_FALSE(floats_agree(1.0, kNaN, {1e9, 1e9}));
}

TEST(OutputCheck, InfinitiesAgreeWithThemselvesOnly) {
  EXPECT_TRUE(floats_agree(kInfinity, kInfinity, {1.0, 1.0}));
  EXPECT_FALSE(floats_agree(-kInfinity, kInfinity, {1.0, 1.0}));
  EXPECT_FALSE(floats_agree(1.0, kInfinity, {1.0, 1.0}));
  EXPECT_FALSE(floats_agree(kInfinity, 1.0, {1.0, 1.0}));
  EXPECT_FALSE(floats_agree(kInfinity, kNaN, {1.0, 1.0}));
}

// Several threads share this much. Each has a wrong element, and two of them are at the ends of the contents.
TEST(OutputCheck, FindsWhatIsWrongAnywhereInLargeContents) {
  const std::size_t n = (std::size_t{40} << 20) / sizeof(float) + 7;
  const std::vector<float> expected(n, 1.0f);
  std::vector<float> actual = expected;
  EXPECT_FALSE(compare<float>(actual, expected, ElementType::float32));
  actual[n - 1] = 5.0f;
  EXPECT_EQ(compare<float>(actual, expected, ElementType::float32)->first_index, n - 1);
  for (std::size_t i = 3; i < n; i += n / 16) actual[i] = 2.0f;
  const auto mismatch = compare<float>(actual, expected, ElementType::float32);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->first_index, 3u);
  EXPECT_EQ(mismatch->wrong_elements, 18u);
  EXPECT_EQ(mismatch->total_elements, n);
  EXPECT_EQ(mismatch->largest_error, 4.0);
}

TEST(OutputCheck, ZerosOfBothSignsAgree) { EXPECT_TRUE(floats_agree(-0.0, 0.0)); }

TEST(OutputCheck, FloatsThatOverflowTheDifferenceAreWrong) {
  EXPECT_TRUE(compare<float>({3e38f}, {-3e38f}, ElementType::float32, {1.0, 0.5}));
}

// 2^53 and 2^53 + 1 are the same double.
TEST(OutputCheck, IntegersAreExactBeyondDoubles) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const auto mismatch = compare<std::int64_t>({large - 1}, {large}, ElementType::int64);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->expected, "9007199254740993");
  EXPECT_EQ(mismatch->actual, "9007199254740992");
  EXPECT_EQ(mismatch->largest_error, 1.0);
  EXPECT_FALSE(compare<std::int64_t>({large - 1}, {large}, ElementType::int64, {1.0, 0.0}));
}

TEST(OutputCheck, ExtremeIntegersDoNotOverflow) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  const auto mismatch = compare<std::int64_t>({kLow}, {kHigh}, ElementType::int64, {0.5, 0.0});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->largest_error, 0x1p64);
  EXPECT_FALSE(compare<std::int64_t>({kLow}, {kHigh}, ElementType::int64, {0x1p64, 0.0}));
}

TEST(OutputCheck, IntegerToleranceIsInclusive) {
  EXPECT_FALSE(compare<std::uint8_t>({250}, {255}, ElementType::uint8, {5.0, 0.0}));
  EXPECT_TRUE(compare<std::uint8_t>({249}, {255}, ElementType::uint8, {5.9, 0.0}));
}

// 0x3c00 is 1, 0x3c0a is 1 + 10/1024 = 1.0098, 0x3c0c is 1.0117.
TEST(OutputCheck, DecodesHalves) {
  EXPECT_FALSE(compare<std::uint16_t>({0x3c0a}, {0x3c00}, ElementType::float16, {0.0, 0.01}));
  EXPECT_FALSE(compare<std::uint16_t>({0x3f81}, {0x3f80}, ElementType::bfloat16, {0.0, 0.01}));  // 1.0078125
  EXPECT_TRUE(compare<std::uint16_t>({0x3f82}, {0x3f80}, ElementType::bfloat16, {0.0, 0.01}));
  const auto mismatch = compare<std::uint16_t>({0x3c0c}, {0x3c00}, ElementType::float16, {0.0, 0.01});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->expected, "1");
  EXPECT_NEAR(mismatch->largest_error, 12.0 / 1024, 1e-9);
}

// The errors are in the second and third block of the comparison, and in its incomplete end.
TEST(OutputCheck, LooksAtEveryElement) {
  std::vector<float> expected(5000, 1.0f);
  std::vector<float> actual = expected;
  actual[1500] = 2.0f;
  actual[2100] = -3.0f;
  actual[4999] = 1.5f;
  const auto mismatch = compare<float>(actual, expected, ElementType::float32, {1e-5, 1e-4});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->first_index, 1500u);
  EXPECT_EQ(mismatch->actual, "2");
  EXPECT_EQ(mismatch->wrong_elements, 3u);
  EXPECT_EQ(mismatch->total_elements, 5000u);
  EXPECT_EQ(mismatch->largest_error, 4.0);
  EXPECT_EQ(mismatch->to_string("c"),
            "`c`: 3 of 5000 elements are wrong, first at [1500]: expected 1, got 2 (largest error 4)");
}

// 0 + 1 + ... + 2999 = 4498500, over several blocks; 0x3C00 is 1 as a half.
TEST(OutputCheck, SumsElementsOfEveryType) {
  std::vector<std::int16_t> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int16_t>(i);
  EXPECT_EQ(sum(std::as_bytes(std::span(numbers)), ElementType::int16), 4498500.0);
  const std::vector<std::uint16_t> halves(3, 0x3C00);
  EXPECT_EQ(sum(std::as_bytes(std::span(halves)), ElementType::float16), 3.0);
}

TEST(OutputCheck, ANaNIsTheLargestError) {
  const auto mismatch = compare<float>({NAN, 5.0f}, {0.0f, 0.0f}, ElementType::float32);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->largest_error, kInfinity);
}

TEST(OutputCheck, BytesNeedNoAlignment) {
  std::vector<std::byte> storage(9);
  const std::vector<std::byte> expected(8);
  EXPECT_FALSE(measure::compare(std::span(storage).subspan(1), expected, ElementType::float64, {}));
}

}  // namespace
}  // namespace wattune::measure
