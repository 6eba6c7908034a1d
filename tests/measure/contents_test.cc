#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "measure/interface/arguments.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

VectorArgument vector_of(ElementType type, Fill fill) {
  VectorArgument argument;
  argument.type = type;
  argument.fill = std::move(fill);
  return argument;
}

template <typename T>
std::vector<T> as(const Result<std::vector<std::byte>>& bytes) {
  std::vector<T> elements(bytes.value().size() / sizeof(T));
  std::memcpy(elements.data(), bytes.value().data(), bytes.value().size());
  return elements;
}

TEST(Contents, ConstantFillsEveryElementOfEveryComponent) {
  VectorArgument argument = vector_of(ElementType::int16, FillConstant{-7});
  argument.vector_width = 2;
  EXPECT_THAT(as<std::int16_t>(make_contents(argument, 2, 1)), ElementsAre(-7, -7, -7, -7));
}

// Neither 2^53 + 1 nor 2^64 - 1 is a double.
TEST(Contents, ConstantsOfSixtyFourBitsAreExact) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(as<std::int64_t>(make_contents(vector_of(ElementType::int64, FillConstant{kLarge}), 2, 1)),
              ElementsAre(kLarge, kLarge));
  EXPECT_THAT(
      as<std::uint64_t>(make_contents(vector_of(ElementType::uint64, FillConstant{"18446744073709551615"}), 2, 1)),
      ElementsAre(UINT64_MAX, UINT64_MAX));
  EXPECT_EQ(make_contents(vector_of(ElementType::int8, FillConstant{128}), 2, 1).error().to_string(),
            "element 0: 128 does not fit int8 (int8 holds -128 to 127)");
}

TEST(Contents, IotaCounts) {
  EXPECT_THAT(as<float>(make_contents(vector_of(ElementType::float32, FillIota{1.0, 0.5}), 3, 1)),
              ElementsAre(1.0f, 1.5f, 2.0f));
}

TEST(Contents, IotaBeyondTheTypeSaysWhichElement) {
  const auto bytes = make_contents(vector_of(ElementType::uint8, FillIota{}), 300, 1);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().to_string(), "element 256: 256.0 does not fit uint8 (uint8 holds 0 to 255)");
}

// mt19937_64 seeded with 5489 starts with 14514284786278117030 (the standard gives the 10000th; this is the reference
// implementation's first), whose upper 53 bits over 2^53 are 0.78682095486780...
TEST(Contents, UniformIsTheEnginesUpperBits) {
  const auto values = as<double>(make_contents(vector_of(ElementType::float64, FillUniform{0, 1, 5489}), 1, 1));
  EXPECT_EQ(values[0], static_cast<double>(14514284786278117030ull >> 11) * 0x1p-53);
}

TEST(Contents, UniformStaysInItsRange) {
  for (std::int32_t value :
       as<std::int32_t>(make_contents(vector_of(ElementType::int32, FillUniform{-3, 3, 9}), 5000, 1))) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 3);
  }
}

// The sum of twelve uniform numbers has mean 6 and variance 12/12. With 20,000 numbers the mean deviates from 3 by less
// than 4 * 2 / sqrt(20000) = 0.057. Within one deviation lie 68.0 +- 1.3 % (for the normal distribution 68.27 %).
TEST(Contents, NormalHasItsMeanAndDeviation) {
  const auto values = as<double>(make_contents(vector_of(ElementType::float64, FillNormal{3, 2, 9}), 20000, 1));
  double sum = 0;
  int near = 0;
  for (const double value : values) {
    sum += value;
    near += std::abs(value - 3) < 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 20000, 3.0, 0.057);
  EXPECT_NEAR(near / 20000.0, 0.680, 0.013);
}

TEST(Contents, SeedDecidesTheNumbers) {
  const VectorArgument unseeded = vector_of(ElementType::float32, FillUniform{0, 1});
  EXPECT_EQ(*make_contents(unseeded, 100, 1), *make_contents(unseeded, 100, 1));
  EXPECT_NE(*make_contents(unseeded, 100, 1), *make_contents(unseeded, 100, 2));
  const VectorArgument seeded = vector_of(ElementType::float32, FillUniform{0, 1, 4});
  EXPECT_EQ(*make_contents(seeded, 100, 1), *make_contents(seeded, 100, 2));
}

// A shorter vector is the beginning of a longer one, so padded buffers hold the same problem.
TEST(Contents, LengthDoesNotChangeTheBeginning) {
  const VectorArgument argument = vector_of(ElementType::float32, FillUniform{});
  auto longer = *make_contents(argument, 100, 1);
  longer.resize(40 * sizeof(float));
  EXPECT_EQ(longer, *make_contents(argument, 40, 1));
}

// This pins the bytes: journals of other machines are compared with runs here.
TEST(Contents, AreTheSameOnEveryMachine) {
  const auto bytes = make_contents(vector_of(ElementType::float32, FillUniform{-1.0, 1.0, 42}), 10000, 1);
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  EXPECT_EQ(content_hash(text), "5855f519ad4f69e3adec622b93517a0a");
}

TEST(Contents, ExpressionsAreEvaluatedByTheCaller) {
  const VectorArgument argument = vector_of(ElementType::uint32, FillExpression{});
  const auto square = [](void* offset, std::size_t i) -> Result<double> {
    return static_cast<double>(i * i) + *static_cast<double*>(offset);
  };
  double offset = 10;
  EXPECT_THAT(as<std::uint32_t>(make_contents(argument, 4, 1, square, &offset)), ElementsAre(10, 11, 14, 19));
  EXPECT_FALSE(make_contents(argument, 4, 1));
}

TEST(ToBytes, IntegersAreExact) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(as<std::int64_t>(to_bytes(Value(kLarge), ElementType::int64)), ElementsAre(kLarge));
  EXPECT_THAT(as<std::uint8_t>(to_bytes(Value(true), ElementType::uint8)), ElementsAre(1));
  EXPECT_THAT(as<float>(to_bytes(Value(3), ElementType::float32)), ElementsAre(3.0f));
  EXPECT_THAT(as<std::int32_t>(to_bytes(Value(512.0), ElementType::int32)), ElementsAre(512));
  EXPECT_THAT(as<std::uint16_t>(to_bytes(1.5, ElementType::float16)), ElementsAre(0x3e00));
  EXPECT_THAT(as<std::uint16_t>(to_bytes(1.5, ElementType::bfloat16)), ElementsAre(0x3fc0));
}

// Texts of digits stand for integers that expressions have not, and infinities for themselves.
TEST(ToBytes, TakesLargeIntegersAndWhatIsNotFinite) {
  EXPECT_THAT(as<std::uint64_t>(to_bytes(Value("18446744073709551615"), ElementType::uint64)), ElementsAre(UINT64_MAX));
  EXPECT_THAT(as<float>(to_bytes(Value("18446744073709551615"), ElementType::float32)), ElementsAre(0x1p64f));
  EXPECT_THAT(to_bytes(Value("18446744073709551615"), ElementType::int64).error().to_string(),
              HasSubstr("18446744073709551615 does not fit int64"));
  EXPECT_FALSE(to_bytes(Value("18446744073709551616"), ElementType::uint64));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(as<float>(to_bytes(-infinity, ElementType::float32)),
              ElementsAre(-std::numeric_limits<float>::infinity()));
  EXPECT_THAT(as<std::uint16_t>(to_bytes(infinity, ElementType::float16)), ElementsAre(0x7c00));
  EXPECT_TRUE(std::isnan(as<float>(to_bytes(std::nan(""), ElementType::float32)).front()));
}

// The largest numbers are about 3.4e38, 65504 and 3.4e38.
TEST(ToBytes, RefusesFiniteNumbersThatWouldBecomeInfinite) {
  EXPECT_EQ(to_bytes(1e39, ElementType::float32).error().to_string(),
            "1e+39 does not fit float32 (float32 holds numbers up to 3.40282e+38)");
  EXPECT_EQ(to_bytes(-7e4, ElementType::float16).error().to_string(),
            "-70000.0 does not fit float16 (float16 holds numbers up to 65504)");
  EXPECT_EQ(to_bytes(1e39, ElementType::bfloat16).error().to_string(),
            "1e+39 does not fit bfloat16 (bfloat16 holds numbers up to 3.38953e+38)");
  EXPECT_TRUE(to_bytes(3.4e38, ElementType::float32));
  EXPECT_TRUE(to_bytes(1e39, ElementType::float64));
}

// Three components in the room of four, as in OpenCL: 0, 1, 2 and a gap, 3, 4, 5 and a gap.
TEST(Contents, LeaveOutThePaddingOfElements) {
  VectorArgument argument = vector_of(ElementType::float32, FillIota{});
  argument.vector_width = 3;
  EXPECT_THAT(as<float>(make_contents(argument, 2, 1)), ElementsAre(0, 1, 2, 3, 4, 5));
  argument.padding = 1;
  EXPECT_THAT(as<float>(make_contents(argument, 2, 1)), ElementsAre(0, 1, 2, 0, 3, 4, 5, 0));
}

TEST(ToBytes, RefusesWhatTheTypeCannotHold) {
  EXPECT_EQ(to_bytes(Value(-1), ElementType::uint32).error().code(), ErrorCode::out_of_range);
  EXPECT_EQ(to_bytes(Value(128), ElementType::int8).error().code(), ErrorCode::out_of_range);
  EXPECT_EQ(to_bytes(0x1p63, ElementType::int64).error().code(), ErrorCode::out_of_range);
  EXPECT_TRUE(to_bytes(-0x1p63, ElementType::int64));
  EXPECT_EQ(to_bytes(std::nan(""), ElementType::int32).error().code(), ErrorCode::out_of_range);
  EXPECT_THAT(to_bytes(0.5, ElementType::int32).error().to_string(), HasSubstr("0.5 is not an integer"));
  EXPECT_EQ(to_bytes(Value("float4"), ElementType::float32).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::measure
