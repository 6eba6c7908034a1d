#include <gmock/gmock.h>

#include <cmath>

#include "report/results_builder.h"
#include "wattune/core/random.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

double share_of(const ResultSet& results, const std::string& parameter) {
  for (const Importance& each : parameter_importance(results))
    if (each.parameter == parameter) return each.main_effect.value();
  return -1.0;
}

// Two parameters with two levels, log(time) = 2 a + b. Over the four corners: SS_a = 4, SS_b = 1 of SS_total = 5. Each
// corner occurs 16 times: n = 64, k = 2, the correction is 63/62: share_a = 1 - 0.2 * 63/62, share_b = 1 - 0.8 * 63/62.
TEST(Importance, IsTheCorrectedShareOfVariance) {
  auto builder = ResultsBuilder({{.name = "b", .values = {0, 1}}, {.name = "a", .values = {0, 1}}});
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int repeat = 0; repeat < 16; ++repeat) builder.time({b, a}, std::exp(2 * a + b));
  const std::vector<Importance> importance = parameter_importance(builder);
  ASSERT_EQ(importance.size(), 2u);
  EXPECT_EQ(importance[0].parameter, "a");
  EXPECT_NEAR(importance[0].main_effect.value(), 1.0 - 0.2 * 63.0 / 62.0, 1e-12);
  EXPECT_NEAR(importance[1].main_effect.value(), 1.0 - 0.8 * 63.0 / 62.0, 1e-12);
}

// log(time) = a + 0.5 b over ten levels of a and b with uniform noise parameters beside them. Without noise the shares
// are 1 / 1.25 = 0.8 and 0.2.
TEST(Importance, SeparatesCausesFromNoise) {
  std::vector<Value> ten;
  for (int i = 0; i < 10; ++i) ten.push_back(i);
  std::vector<Value> many;
  for (int i = 0; i < 100; ++i) many.push_back(i);
  auto builder =
      ResultsBuilder({{.name = "a", .values = ten}, {.name = "b", .values = ten}, {.name = "noise", .values = many}});
  Random random(7);
  const auto below = [&random](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t a = below(10);
    const std::int64_t b = below(10);
    builder.time({a, b, below(100)}, std::exp(static_cast<double>(a) + 0.5 * static_cast<double>(b)));
  }
  const ResultSet results = builder;
  EXPECT_NEAR(share_of(results, "a"), 0.8, 0.03);
  EXPECT_NEAR(share_of(results, "b"), 0.2, 0.03);
  EXPECT_NEAR(share_of(results, "noise"), 0.0, 0.02);
}

TEST(Importance, IsHonestWithFewData) {
  // There are as many values as Trials: each Trial explains itself, which says nothing.
  const ResultSet once = one_parameter().time({1}, 5).time({2}, 6).time({4}, 7).time({8}, 8);
  EXPECT_FALSE(parameter_importance(once).front().main_effect);
  EXPECT_EQ(table_of_importance(once, 80), "4 correct results are too few to tell which parameters matter.\n");
  EXPECT_FALSE(parameter_importance(one_parameter().time({1}, 5)).front().main_effect);
  EXPECT_EQ(table_of_importance(one_parameter().time({1}, 5).time({2}, 6), 80),
            "Too few correct results to tell which parameters matter.\n");
}

TEST(Importance, LeavesOutParametersWithOneValue) {
  EXPECT_EQ(share_of(ResultsBuilder({{.name = "x", .values = {1}}}).time({1}, 5).time({1}, 6), "x"), -1.0);
}

TEST(Importance, IgnoresFailuresAndEqualTimes) {
  auto builder = one_parameter();
  for (int i = 0; i < 4; ++i) builder.time({1}, 5).time({2}, 5).failure({8}, Status::runtime, "no");
  EXPECT_FALSE(parameter_importance(builder).front().main_effect);
  EXPECT_THAT(table_of_importance(builder, 80), testing::HasSubstr("whose times do not differ"));
}

// Ten results at ten values of each of nine parameters that are equal: each alone explains as much as is left.
TEST(Importance, OfMoreValuesThanResultsIsNotGiven) {
  std::vector<Parameter> parameters;
  for (const char name : std::string("abcdefghi"))
    parameters.push_back({.name = std::string(1, name), .values = {0, 1, 2, 3, 4}});
  ResultsBuilder builder(parameters);
  for (int i = 0; i < 10; ++i) builder.time(std::vector<Value>(9, i / 2), std::exp(i / 2));
  for (const Importance& each : parameter_importance(builder)) EXPECT_FALSE(each.main_effect) << each.parameter;
  EXPECT_TRUE(parameter_interactions(builder).empty());
}

// Seven of thirteen results have one value and six the other. log(time) has a period of three, so that the
// value explains as little as chance would. A hundred times as many results show that it explains next to nothing.
TEST(Importance, WhatChanceMayHaveMadeIsNotGiven) {
  for (const int times : {1, 100}) {
    auto builder = ResultsBuilder({{.name = "a", .values = {0, 1}}});
    for (int i = 0; i < 13 * times; ++i) builder.time({i % 2}, i % 3 == 0 ? 7 : 5);
    const std::vector<Importance> importance = parameter_importance(builder);
    EXPECT_EQ(importance.front().main_effect.has_value(), times == 100);
    if (times == 100) {
      EXPECT_NEAR(*importance.front().main_effect, 0.0, 0.001);
    }
  }
}

// Two parameters share one cause.
TEST(Importance, SharesOfParametersThatGoTogetherAreSaidToAddUp) {
  auto builder = ResultsBuilder({{.name = "a", .values = {0, 1}}, {.name = "b", .values = {0, 1}}});
  for (int i = 0; i < 20; ++i) builder.time({i % 2, i % 2}, 5 + i % 2);
  EXPECT_THAT(table_of_importance(builder, 80), testing::EndsWith("The shares add up to 200 %: parameters that go "
                                                                  "together explain the same.\n"));
}

TEST(Importance, IsDrawnAsBars) {
  auto builder = one_parameter();
  for (int i = 0; i < 4; ++i) builder.time({1}, 5).time({2}, 10);
  EXPECT_EQ(table_of_importance(builder, 22),
            "share of the variance\nof log(time), 8\ncorrect results\n"
            "x  100.0 %  ██████████\n");
}

}  // namespace
}  // namespace wattune::report
