#include "search/models/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace wattune::inline v0_1::search {
namespace {

space::SearchSpace make_space(int parameters, int values) {
  std::vector<Parameter> list;
  for (int p = 0; p < parameters; ++p) {
    Parameter& parameter = list.emplace_back();
    parameter.name = "p" + std::to_string(p);
    for (int v = 0; v < values; ++v) parameter.values.emplace_back(v);
  }
  return space::SearchSpace::build(std::move(list), {}).value();
}

// exp(1) and exp(3) are 1 below and above their mean; a second run that is 100 times as slow says the same.
TEST(Prior, KnowsProportionsOnly) {
  const auto space = make_space(1, 3);
  Random random(1);
  const std::vector<PriorObjective> run = {{0, std::exp(3.0)}, {2, std::exp(1.0)}};
  const std::vector<PriorObjective> slower = {{0, 100 * std::exp(3.0)}, {2, 100 * std::exp(1.0)}, {1, 0.0}};
  const Prior prior(space, {run, slower}, random);
  EXPECT_NEAR(prior.predict(0), 1.0, 1e-9);
  EXPECT_NEAR(prior.predict(2), -1.0, 1e-9);
  EXPECT_LE(std::abs(prior.predict(1)), 1.0 + 1e-9);
  EXPECT_THAT(prior.best(), testing::ElementsAre(ConfigurationId{2}, ConfigurationId{0}));
}

// One configuration has exp(1) and exp(3), which count as 2. With exp(4) of another that is 1 below and above the mean.
TEST(Prior, TakesTheMeanOfWhatContradictsItself) {
  const auto space = make_space(1, 3);
  Random random(1);
  const Prior prior(space, {{{0, std::exp(1.0)}, {2, std::exp(4.0)}, {0, std::exp(3.0)}}}, random);
  EXPECT_NEAR(prior.predict(0), -1.0, 1e-9);
  EXPECT_NEAR(prior.predict(2), 1.0, 1e-9);
}

TEST(Prior, LeavesOutRunsThatSayNothing) {
  const auto space = make_space(1, 3);
  Random random(1);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Prior(space, {{{0, 5.0}, {1, 5.0}, {2, 5.0}}, {{1, 0.0}, {2, infinity}}, {}}, random).empty());
}

// The measured time falls with the id, as one run says; another run says the opposite. Three measurements in the order
// of ids give (3 + 1.5) / 6 = 0.75 for the first, (-3 + 1.5) / 6 < 0 for the second.
TEST(Prior, BelievesTheRunThatRanksAsMeasured) {
  const auto space = make_space(1, 4);
  Random random(1);
  const std::vector<PriorObjective> right = {{0, 8.0}, {1, 4.0}, {2, 2.0}, {3, 1.0}};
  const std::vector<PriorObjective> wrong = {{0, 1.0}, {1, 2.0}, {2, 4.0}, {3, 8.0}};
  Prior prior(space, {wrong, right, wrong}, random);
  for (ConfigurationId id = 0; id < 3; ++id) prior.learn(prior.opinions(id), -static_cast<double>(id));
  prior.weigh();
  EXPECT_TRUE(prior.believed());
  EXPECT_NEAR(prior.predict(3), -1.5 * std::log(2.0), 1e-9);
  EXPECT_EQ(prior.best().front(), ConfigurationId{3});
}

// The correlation is (-2 + 1.5) / 5, below 0.
TEST(Prior, IsNotBelievedAgainstTheFirstMeasurements) {
  const auto space = make_space(1, 3);
  Random random(1);
  Prior prior(space, {{{0, 1.0}, {1, 2.0}, {2, 4.0}}}, random);
  EXPECT_TRUE(prior.believed());
  prior.learn(prior.opinions(0), 1.0);
  prior.learn(prior.opinions(2), 0.0);
  prior.weigh();
  EXPECT_FALSE(prior.believed());
  EXPECT_TRUE(prior.best().empty());
  EXPECT_EQ(prior.predict(0), 0.0);
  EXPECT_EQ(prior.slope(std::vector<Prior::Pair>{{0.0, 1.0}, {0.0, 0.0}}), 0.0);
}

// The objectives are drawn at random: half of them predicts the other half by chance only.
TEST(Prior, DoubtsARunThatIsNoise) {
  const auto space = make_space(4, 4);
  Random random(5);
  std::vector<PriorObjective> noise;
  std::vector<PriorObjective> smooth;
  space::ValueIndices places;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    space.unrank(id, places);
    noise.push_back({id, 1.0 + random.uniform()});
    smooth.push_back({id, std::exp(places[0] + 0.1 * places[1])});
  }
  const auto trust_after_one_pair = [&](const std::vector<PriorObjective>& run) {
    Prior prior(space, {run}, random);
    prior.learn(prior.opinions(0), 0.0);  // one measurement ranks nothing: what was expected before decides
    prior.weigh();
    return prior.believed();
  };
  EXPECT_FALSE(trust_after_one_pair(noise));
  EXPECT_TRUE(trust_after_one_pair(smooth));
}

// The variance is 1 and the trust 3. With the pairs (-1, -1), (1, 1) the slope stays (3 + 2) / (3 + 2) = 1. With (-1,
// 1), (1, -1) it is (3 - 2) / 5, and with twice as many of them (3 - 4) / 7, which is below 0.
TEST(Prior, SlopeFollowsWhatIsMeasured) {
  const auto space = make_space(1, 3);
  Random random(1);
  const Prior prior(space, {{{0, std::exp(1.0)}, {2, std::exp(-1.0)}}}, random);
  const std::vector<Prior::Pair> agree = {{-1, -1}, {1, 1}};
  const std::vector<Prior::Pair> differ = {{-1, 1}, {1, -1}};
  EXPECT_NEAR(prior.slope(agree), 1.0, 1e-9);
  EXPECT_NEAR(prior.slope(differ), 0.2, 1e-9);
  EXPECT_EQ(prior.slope(std::vector<Prior::Pair>{{-1, 1}, {1, -1}, {-1, 1}, {1, -1}}), 0.0);
  EXPECT_EQ(prior.slope({}), 1.0);
}

// Equal numbers share a rank: of 1, 2, 2, 3 these are 0, 1.5, 1.5, 3.
TEST(RankCorrelation, IsSpearmans) {
  const auto of = [](std::vector<double> a, std::vector<double> b) { return rank_correlation(a, b); };
  EXPECT_DOUBLE_EQ(of({1, 5, 9}, {2, 3, 100}), 1.0);
  EXPECT_DOUBLE_EQ(of({1, 5, 9}, {3, 2, 1}), -1.0);
  EXPECT_DOUBLE_EQ(of({1, 2, 3}, {1, 3, 2}), 0.5);
  EXPECT_DOUBLE_EQ(of({1, 2, 2, 3}, {1, 2, 2, 3}), 1.0);
  EXPECT_DOUBLE_EQ(of({1, 2, 3}, {4, 4, 4}), 0.0);
  EXPECT_DOUBLE_EQ(of({}, {}), 0.0);
}

// Returns an objective that is least, 1, where every place is 3; it is steep, so that few configurations are near that.
double objective(const space::SearchSpace& space, ConfigurationId id) {
  space::ValueIndices indices;
  space.unrank(id, indices);
  double product = 1.0;
  for (std::size_t p = 0; p < indices.size(); ++p)
    product *= 1.0 + static_cast<double>(p + 1) * std::pow(indices[p] - 3.0, 2.0);
  return product;
}

// Returns how many evaluations `auto` takes to the optimum.
int evaluations(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& prior) {
  const auto strategy = make_strategy("auto", space, {.seed = 3, .prior = prior}).value();
  for (int n = 1;; ++n) {
    const auto ids = strategy->ask(1);
    if (ids.empty()) return -1;
    const double value = objective(space, ids.front());
    if (value == 1.0) return n;
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(value)};
    strategy->tell(ids.front(), observation);
  }
}

TEST(WarmStart, SavesEvaluationsAndSurvivesABadPrior) {
  const auto space = make_space(6, 5);
  std::vector<PriorObjective> alike;
  std::vector<PriorObjective> opposite;
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    const ConfigurationId id = space.sample(random);
    alike.push_back({id, 1000.0 * objective(space, id)});
    opposite.push_back({id, 1.0 / objective(space, id)});
  }
  const int cold = evaluations(space, {});
  EXPECT_LT(evaluations(space, {alike}), cold);
  EXPECT_LT(evaluations(space, {opposite, alike, opposite}), cold);  // more priors never hurt
  const int misled = evaluations(space, {opposite});
  EXPECT_GT(misled, 0);
  EXPECT_LT(misled, 1000);  // of 15,625
}

std::vector<ConfigurationId> first_proposals(const space::SearchSpace& space, std::size_t n,
                                             const std::vector<std::vector<PriorObjective>>& prior) {
  const auto strategy = make_strategy("auto", space, {.seed = 3, .prior = prior}).value();
  std::vector<ConfigurationId> proposals;
  while (proposals.size() < n) {
    proposals.push_back(strategy->ask(1).front());
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(objective(space, proposals.back()))};
    strategy->tell(proposals.back(), observation);
  }
  return proposals;
}

TEST(WarmStart, FromAConstantIsAColdOne) {
  const auto space = make_space(6, 5);
  EXPECT_EQ(first_proposals(space, 30, {{{0, 5.0}, {1, 5.0}, {9, 5.0}}}), first_proposals(space, 30, {}));
}

// The first two outcomes refute the opposite run, before its best, which is the worst of all, would be proposed. The
// best of the right run is asked third.
TEST(WarmStart, MustRankTwoBeforeItProposes) {
  const auto space = make_space(6, 5);
  std::vector<PriorObjective> alike;
  std::vector<PriorObjective> opposite;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    alike.push_back({id, objective(space, id)});
    opposite.push_back({id, 1.0 / objective(space, id)});
  }
  const auto best_of = [](const std::vector<PriorObjective>& run) {
    return std::ranges::min_element(run, {}, &PriorObjective::objective)->id;
  };
  EXPECT_THAT(first_proposals(space, 5, {opposite}), testing::Not(testing::Contains(best_of(opposite))));
  EXPECT_EQ(first_proposals(space, 3, {alike}).back(), best_of(alike));
}

TEST(WarmStart, IsRefusedByStrategiesWithoutAModel) {
  const auto space = make_space(2, 3);
  const auto refused = make_strategy("greedy_ils", space, {.prior = {{{0, 1.0}}}});
  EXPECT_EQ(
      refused.error().to_string(),
      "this strategy cannot start from earlier results: `greedy_ils` (auto, bayesian_optimisation and profile can)");
}

}  // namespace
}  // namespace wattune::search
