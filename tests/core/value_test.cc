#include "wattune/core/value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wattune/core/configuration.h"

namespace wattune {
namespace {

TEST(Value, ComparesAsPython) {
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_EQ(Value(1), Value(true));
  EXPECT_EQ(Value(0.0), Value(false));
  EXPECT_FALSE(Value(1) == Value("1"));
  EXPECT_FALSE(Value(std::nan("")) == Value(std::nan("")));
}

TEST(Value, ComparesIntegersAndRealsExactly) {
  // 2^53 + 1 has no double; its nearest is 2^53.
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(Value(odd) == Value(static_cast<double>(odd)));
  EXPECT_FALSE(Value(std::numeric_limits<std::int64_t>::max()) == Value(0x1p63));
}

TEST(Value, PrintsAsPython) {
  EXPECT_EQ(Value(16).to_string(), "16");
  EXPECT_EQ(Value(0.5).to_string(), "0.5");
  EXPECT_EQ(Value(2.0).to_string(), "2.0");
  EXPECT_EQ(Value(true).to_string(), "True");
  EXPECT_EQ(Value("fast").to_string(), "fast");
}

TEST(Value, BooleansAreNumbersInMacros) {
  EXPECT_EQ(Value(true).to_macro(), "1");
  EXPECT_EQ(Value(false).to_macro(), "0");
  EXPECT_EQ(Value("float4").to_macro(), "float4");
}

TEST(Configuration, NamesItsValuesInOrder) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "fast"});
  const Configuration configuration(5, names, {Value(32), Value(true)});
  EXPECT_EQ(configuration.to_string(), "x=32, fast=True");
  ASSERT_NE(configuration.find("x"), nullptr);
  EXPECT_EQ(*configuration.find("x"), Value(32));
  EXPECT_EQ(configuration.find("y"), nullptr);
}

}  // namespace
}  // namespace wattune
