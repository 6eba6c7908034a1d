#include <gtest/gtest.h>

#include <cmath>

#include "search/acquisition.h"
#include "search/gaussian_process.h"
#include "search/nearest.h"

namespace wattune::search {
namespace {

// y = 3 where the first place is 2 or more, else 1; the second parameter means nothing.
TEST(Forest, FindsTheParameterThatMatters) {
  std::vector<std::uint16_t> rows;
  std::vector<double> targets;
  for (std::uint16_t a = 0; a < 4; ++a) {
    for (std::uint16_t b = 0; b < 5; ++b) {
      rows.insert(rows.end(), {a, b});
      targets.push_back(a >= 2 ? 3.0 : 1.0);
    }
  }
  Random random(1);
  Forest forest;
  EXPECT_TRUE(forest.empty());
  forest.fit(rows, 2, targets, 50, random);
  for (std::uint16_t a = 0; a < 4; ++a) {
    const std::vector<std::uint16_t> row = {a, 2};
    EXPECT_NEAR(forest.predict(row).mean, a >= 2 ? 3.0 : 1.0, 1e-9);
    EXPECT_NEAR(forest.predict(row).deviation, 0.0, 1e-6);
  }
}

TEST(Forest, IsUnsureWhereItHasSeenNothing) {
  const std::vector<std::uint16_t> rows = {0, 10};
  std::vector<std::uint16_t> many;
  std::vector<double> targets;
  for (int i = 0; i < 4; ++i) {
    many.insert(many.end(), rows.begin(), rows.end());
    targets.insert(targets.end(), {1.0, 5.0});
  }
  Random random(1);
  Forest forest;
  forest.fit(many, 1, targets, 50, random);
  const std::vector<std::uint16_t> middle = {5};
  EXPECT_GT(forest.predict(middle).deviation, 1.0);
}

TEST(GaussianProcess, PassesThroughItsObservations) {
  GaussianProcess process(0.5);
  std::vector<Coordinates> points;
  for (int i = 0; i <= 10; ++i) points.push_back({i / 10.0});
  process.set_candidates({{0.0}, {0.3}, {0.35}, {1.0}});
  for (const Coordinates& point : points) process.add(point, std::sin(3.0 * point[0]));
  EXPECT_NEAR(process.predict(0).mean, 0.0, 0.02);
  EXPECT_NEAR(process.predict(1).mean, std::sin(0.9), 0.02);
  EXPECT_NEAR(process.predict(2).mean, std::sin(1.05), 0.02);
  EXPECT_LT(process.predict(1).deviation, 0.05);
}

// Candidates set before, between or after the observations get the same predictions.
TEST(GaussianProcess, GrowsAsIfItHadBeenBuiltAtOnce) {
  GaussianProcess early(0.7);
  GaussianProcess late(0.7);
  early.set_candidates({{0.2, 0.9}});
  for (const auto& [x, y] : {std::pair(0.1, 0.2), {0.5, 0.5}, {0.9, 0.1}, {0.3, 0.8}}) {
    early.add({x, y}, x * y);
    late.add({x, y}, x * y);
  }
  late.set_candidates({{0.2, 0.9}});
  EXPECT_DOUBLE_EQ(early.predict(0).mean, late.predict(0).mean);
  EXPECT_DOUBLE_EQ(early.predict(0).deviation, late.predict(0).deviation);
}

TEST(GaussianProcess, PrefersTheLengthScaleOfTheData) {
  GaussianProcess rough(0.01);
  GaussianProcess smooth(1.0);
  for (int i = 0; i <= 20; ++i) {
    rough.add({i / 20.0}, i / 20.0);
    smooth.add({i / 20.0}, i / 20.0);
  }
  EXPECT_GT(smooth.log_likelihood(), rough.log_likelihood());
}

TEST(GaussianProcess, SurvivesRepeatedPointsAndConstantTargets) {
  GaussianProcess process(1.0);
  for (int i = 0; i < 5; ++i) process.add({0.5}, 7.0);
  process.set_candidates({{0.5}});
  EXPECT_NEAR(process.predict(0).mean, 7.0, 1e-6);
  EXPECT_TRUE(std::isfinite(process.log_likelihood()));
}

// From (0, 0, 0): a distance of 0 with cost 4, two of 1 with 8 and 6, one of 3 with 1.
TEST(NearestNeighbours, AverageTheNearestAndOfEquallyNearOnesTheBest) {
  NearestNeighbours neighbours(3);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 2), 0.0);
  neighbours.add({1, 1, 1}, 1.0);
  neighbours.add({0, 0, 9}, 8.0);
  neighbours.add({0, 0, 0}, 4.0);
  neighbours.add({5, 0, 0}, 6.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 1), 4.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 2), 5.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 3), 6.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 9), 4.75);
}

TEST(NearestNeighbours, CountFailuresAsTheWorstAndForgetTheOldest) {
  NearestNeighbours neighbours(1);
  neighbours.add({7}, 3.0);
  neighbours.add({0}, std::nullopt);
  EXPECT_EQ(neighbours.predict({0}, 1), 3.0);
  for (std::size_t i = 0; i + 1 < NearestNeighbours::kRemembered; ++i) neighbours.add({1}, 2.0);
  EXPECT_EQ(neighbours.predict({7}, 1), 2.0);
  EXPECT_EQ(neighbours.predict({0}, 1), 3.0);
}

// Of N(0, 1) below 0: E[max(0, -x)] = 1 / sqrt(2 pi) = 0.39894, the probability is 1/2.
TEST(Acquisition, AgreesWithTheNormalDistribution) {
  const Prediction standard{.mean = 0.0, .deviation = 1.0};
  EXPECT_NEAR(acquire(expected_improvement, standard, 0.0, 1.0), 0.39894, 1e-5);
  EXPECT_NEAR(acquire(improvement_probability, standard, 0.0, 1.0), 0.5, 1e-12);
  EXPECT_NEAR(acquire(confidence_bound, standard, 0.0, 2.0), std::exp(2.0), 1e-9);
}

}  // namespace
}  // namespace wattune::search
