#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/interface/pareto.h"
#include "search/strategies/non_dominated.h"
#include "search/strategies/reference_points.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// (1, 4), (2, 2) and (4, 1) are the first front; (3, 3) is behind (2, 2), and (4, 4) behind (3, 3).
const std::vector<Costs> kFive = {{4, 4}, {1, 4}, {3, 3}, {2, 2}, {4, 1}};

TEST(NonDominated, FrontsPeelOff) {
  EXPECT_THAT(non_dominated_fronts(kFive), ElementsAre(Front{1, 3, 4}, Front{2}, Front{0}));
  EXPECT_THAT(non_dominated_fronts({{1, 1}, {1, 1}}), ElementsAre(Front{0, 1}));
}

// The distance of the middle one is (4 - 1) / 3 in either objective.
TEST(NonDominated, EndsAreTheLeastCrowded) {
  const auto distances = crowding_distances(kFive, {1, 3, 4});
  EXPECT_TRUE(std::isinf(distances[0]));
  EXPECT_DOUBLE_EQ(distances[1], 2.0);
  EXPECT_TRUE(std::isinf(distances[2]));
  EXPECT_EQ(crowding_distances({{1, 1}, {1, 1}, {1, 1}}, {0, 1, 2})[1], 0.0);
}

// Three objectives give 3 points with one division, 6 with two, 10 with three.
TEST(ReferencePoints, FillTheNumberGiven) {
  EXPECT_THAT(reference_points(2, 3), ElementsAre(Costs{0, 1}, Costs{0.5, 0.5}, Costs{1, 0}));
  EXPECT_EQ(reference_points(3, 9).size(), 6u);
  EXPECT_EQ(reference_points(3, 10).size(), 10u);
  EXPECT_EQ(reference_points(4, 2).size(), 4u);
}

// Seen from (1, 2) the extreme points are (0, 4) and (2, 0): intercepts 2 and 4. Parallel ones span nothing; then the
// worst of the front, 1 and 3, is the unit.
TEST(ReferencePoints, ScaleByTheInterceptsOrTheWorst) {
  const std::vector<Costs> costs = {{1, 6}, {3, 2}, {2, 4}};
  const auto scaled = scaled_costs(costs, {0, 1, 2}, {0, 1, 2}, {1, 2});
  EXPECT_THAT(scaled[0], ElementsAre(DoubleNear(0.0, 1e-9), DoubleNear(1.0, 1e-9)));
  EXPECT_THAT(scaled[2], ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.5, 1e-9)));
  EXPECT_THAT(scaled_costs({{2, 5}}, {0}, {0}, {1, 2})[0], ElementsAre(1.0, 1.0));
}

// (3, 4) lies 4 from the line of (1, 0), 3 from that of (0, 1), and |3 - 4| / sqrt 2 from the diagonal.
TEST(ReferencePoints, TheNearestLineCounts) {
  const Association nearest = nearest_point({{1, 0}, {0, 1}, {0.5, 0.5}}, {3, 4});
  EXPECT_EQ(nearest.point, 2u);
  EXPECT_NEAR(nearest.distance, std::sqrt(0.5), 1e-12);
}

TEST(Pareto, CostsFollowTheObjectives) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(2e9)};
  observation.metrics = {{"rate", 7.0, ""}};
  EXPECT_EQ(costs_of(observation, {{"time", false}, {"rate", true}}), (std::vector{2.0, -7.0}));
  EXPECT_EQ(costs_of(observation, {{"time", false}, {"energy", false}}), std::nullopt);
  observation.status = Status::timeout;
  EXPECT_EQ(costs_of(observation, {{"time", false}}), std::nullopt);
}

class ShowsCosts : public Strategy {
 public:
  explicit ShowsCosts(const space::SearchSpace& space)
      : Strategy(space, {.objectives = {{"time", false}, {"energy", false}}}) {}
  using Strategy::costs;

 private:
  std::optional<ConfigurationId> do_propose() override { return std::nullopt; }
  void do_learn(ConfigurationId, std::optional<double>) override {}
};

// At least 3 s and 5 J, of which no more is known, are worse than 2 s and 4 J.
TEST(Pareto, WhatWasLeftOutOfARaceCostsWhatItTakesAtLeast) {
  std::vector<Parameter> parameters(1);
  parameters[0].name = "p";
  parameters[0].values = {0, 1};
  const auto space = space::SearchSpace::build(std::move(parameters), {}).value();
  ShowsCosts strategy(space);
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(3e9)};
  observation.metrics = {{"energy_at_least", 5.0, "J"}};
  strategy.tell(1, observation);
  ASSERT_NE(strategy.costs(1), nullptr);
  EXPECT_THAT(*strategy.costs(1), ElementsAre(3.0, 5.0));
}

// A problem of eight parameters of six values. Time falls with the distance of the first four from 5, energy with that
// of all of them from 0; the last four cost both. On the front the last four are 0, and there is a point for each sum
// of the first four.
class TwoObjectives : public testing::TestWithParam<const char*> {
 protected:
  static space::SearchSpace make_space() {
    std::vector<Parameter> parameters;
    for (int p = 0; p < 8; ++p) {
      Parameter& parameter = parameters.emplace_back();
      parameter.name = "p" + std::to_string(p);
      for (int v = 0; v < 6; ++v) parameter.values.emplace_back(v);
    }
    return space::SearchSpace::build(std::move(parameters), {}).value();
  }

  static Observation measure(const space::SearchSpace& space, ConfigurationId id) {
    space::ValueIndices at;
    space.unrank(id, at);
    double time = 20.0;
    double energy = 0.0;
    for (std::size_t p = 0; p < 4; ++p) time -= at[p];
    for (std::size_t p = 0; p < 4; ++p) energy += at[p];
    for (std::size_t p = 4; p < 8; ++p) {
      time += 3.0 * at[p];
      energy += 3.0 * at[p];
    }
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(1e9 * (1.0 + time))};
    observation.metrics = {{"energy", energy, "J"}};
    return observation;
  }

  // Returns how many of the 21 points of the front, one per sum, a strategy finds in 1,000 evaluations.
  static std::size_t found(const std::string& name, std::uint64_t seed) {
    const space::SearchSpace space = make_space();
    const auto strategy =
        make_strategy(name, space, {.seed = seed, .objectives = {{"time", false}, {"energy", false}}}).value();
    std::set<double> sums;
    for (int i = 0; i < 1000; ++i) {
      const auto ids = strategy->ask(1);
      const Observation observation = measure(space, ids.front());
      const auto costs = costs_of(observation, {{"time", false}, {"energy", false}}).value();
      if (costs[0] + costs[1] == 21.0) sums.insert(costs[1]);
      strategy->tell(ids.front(), observation);
    }
    return sums.size();
  }
};
INSTANTIATE_TEST_SUITE_P(Nsga, TwoObjectives, testing::Values("nsga2", "nsga3"));

// A genetic algorithm that follows the time alone goes to one end of the front.
TEST_P(TwoObjectives, FrontIsFoundInItsBreadth) {
  std::size_t several = 0;
  std::size_t one = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    several += found(GetParam(), seed);
    one += found("genetic_algorithm", seed);
  }
  EXPECT_GE(several, 85u);  // of 105
  EXPECT_GT(several, one + 20);
}

}  // namespace
}  // namespace wattune::search
