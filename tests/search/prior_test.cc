#include "search/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace wattune::search {
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

// Variance 1 and trust 3: with the pairs (-1, -1), (1, 1) the slope stays (3 + 2) / (3 + 2) = 1; with (-1, 1), (1, -1)
// it is (3 - 2) / 5, with twice as many of them (3 - 4) / 7, which is below 0.
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

// Least, 1, where every place is 3; steep, so that few configurations are near it.
double objective(const space::SearchSpace& space, ConfigurationId id) {
  space::ValueIndices indices;
  space.unrank(id, indices);
  double product = 1.0;
  for (std::size_t p = 0; p < indices.size(); ++p)
    product *= 1.0 + static_cast<double>(p + 1) * std::pow(indices[p] - 3.0, 2.0);
  return product;
}

// How many evaluations `auto` takes to the optimum.
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
  const int misled = evaluations(space, {opposite});
  EXPECT_GT(misled, 0);
  EXPECT_LT(misled, 1000);  // of 15,625
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
