#include <gtest/gtest.h>

#include "score/interface/score.h"

namespace wattune::inline v0_1::score {
namespace {

StrategyScore of_spaces(const std::vector<double>& scores) {
  StrategyScore result;
  for (const double score : scores) result.spaces.push_back({.score = {score, score, score}});
  return result;
}

StrategyComparison to_zero(const std::vector<double>& scores) {
  return compare(of_spaces(scores), of_spaces(std::vector<double>(scores.size(), 0.0)));
}

// Among the eight choices of signs, only all and none give a sum as far from 0 as 0.6.
TEST(Compare, CountsTheSignsThatGiveAsMuch) {
  const StrategyComparison all = to_zero({0.1, 0.2, 0.3});
  EXPECT_NEAR(all.difference, 0.2, 1e-12);
  EXPECT_EQ(all.higher, 3u);
  EXPECT_DOUBLE_EQ(all.p, 2.0 / 8);
  // 0.4: also -0.1 + 0.2 + 0.3 and its opposite.
  EXPECT_DOUBLE_EQ(to_zero({-0.1, 0.2, 0.3}).p, 4.0 / 8);
  EXPECT_EQ(to_zero({-0.1, 0.2, 0.3}).higher, 2u);
}

TEST(Compare, IsAsSureOfTheOpposite) {
  const StrategyScore good = of_spaces({0.5, 0.6, 0.9, 0.7});
  const StrategyScore bad = of_spaces({0.1, 0.2, 0.1, 0.6});
  EXPECT_DOUBLE_EQ(compare(good, bad).p, compare(bad, good).p);
  EXPECT_DOUBLE_EQ(compare(good, bad).difference, -compare(bad, good).difference);
  EXPECT_EQ(compare(bad, good).higher, 0u);
}

TEST(Compare, EqualScoresTellNothing) {
  EXPECT_DOUBLE_EQ(to_zero({0.0, 0.0}).p, 1.0);
  EXPECT_DOUBLE_EQ(to_zero({0.5, -0.5}).p, 1.0);
}

// 25 differences of one sign: chance has 2 of 2^25.
TEST(Compare, DrawsWhereSpacesAreMany) {
  EXPECT_LT(to_zero(std::vector<double>(25, 0.1)).p, 1e-4);
  EXPECT_GT(to_zero(std::vector<double>(25, 0.1)).p, 0.0);
  std::vector<double> alternating;
  for (int i = 0; i < 24; ++i) alternating.push_back(i % 2 == 0 ? 0.1 : -0.1);
  EXPECT_DOUBLE_EQ(to_zero(alternating).p, 1.0);
}

// 124 differences of 0.1 and four of 0 add up to 0.4, while chance gives a deviation of sqrt(124) * 0.1 = 1.1. If the
// signs of the second half were those of the first, only the four left over would count: 2 of 16.
TEST(Compare, EverySpaceHasASignOfItsOwn) {
  std::vector<double> scores(64, 0.1);
  scores.resize(124, -0.1);
  scores.resize(128, 0.0);
  EXPECT_GT(to_zero(scores).p, 0.5);
}

}  // namespace
}  // namespace wattune::score
