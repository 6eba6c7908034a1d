#include "score/interface/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "score/recorded.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::score {
namespace {

using testing::HasSubstr;
using tune::ReplayClock;

struct Recorded {
  explicit Recorded(const ResultSet& results)
      : space(tune::recorded_space(results).value()), recording(tune::Recording::match(space, results).value()) {}

  Result<ScoredSpace> scored(ReplayClock clock = ReplayClock::recorded) const {
    return ScoredSpace::of("made up", space, recording, clock);
  }

  space::SearchSpace space;
  tune::Recording recording;
};

// Returns 40 x 25 configurations: a valley in x and y, with noise, so that neighbours tell something; every tenth
// fails.
ResultSet valley() {
  Random random(3);
  std::vector<Observation> observations;
  for (int i = 0; i < 1000; ++i) {
    const double x = i % 40;
    const double y = i / 40;
    const double time = 100 + std::abs(x - 27) * 10 + std::abs(y - 8) * 15 + 20 * random.uniform();
    observations.push_back(random.below(10) == 0 ? failed(0.5) : correct(time, 1.0 + random.uniform()));
  }
  return grid(observations, 40);
}

TEST(Score, OfRandomSearchIsAboutZero) {
  const Recorded recorded(valley());
  const auto scores = score({recorded.scored().value()}, {{"random", {}}}, {.repeats = 100}).value();
  // Over seeds the score of 100 repeats spreads by some 0.03.
  EXPECT_NEAR(scores[0].score.value, 0.0, 0.12);
  EXPECT_LT(scores[0].score.low, scores[0].score.value);
  EXPECT_GT(scores[0].score.high, scores[0].score.value);
  EXPECT_EQ(scores[0].curve.size(), kCurvePoints);
  EXPECT_DOUBLE_EQ(scores[0].spaces[0].not_recorded, 0.0);
}

TEST(Score, RewardsWhatUsesTheNeighbours) {
  const Recorded recorded(valley());
  const auto scores = score({recorded.scored().value()}, {{"random", {}}, {"simulated_annealing", {}}},
                            {.repeats = 30, .resamples = 100})
                          .value();
  EXPECT_GT(scores[1].spaces[0].curve.back(), scores[0].spaces[0].curve.back());
  EXPECT_GT(scores[1].spaces[0].share_of_optimum, scores[0].spaces[0].share_of_optimum);
}

// A swarm hands out no more than its generation, however much it is asked for. The bandit proposes before it was told
// results.
TEST(Score, AskingAheadChangesWhatProposesTooEarly) {
  const Recorded recorded(valley());
  const std::vector<StrategyChoice> strategies{{"particle_swarm", {}}, {"auc_bandit", {}}};
  ScoreOptions options{.repeats = 5, .resamples = 10};
  const auto one = score({recorded.scored().value()}, strategies, options).value();
  options.ahead = 64;
  const auto many = score({recorded.scored().value()}, strategies, options).value();
  EXPECT_EQ(one[0].curve, many[0].curve);
  EXPECT_NE(one[1].curve, many[1].curve);
}

TEST(Score, DoesNotDependOnTheNumberOfThreads) {
  const Recorded recorded(valley());
  const std::vector<ScoredSpace> spaces = {recorded.scored().value(),
                                           recorded.scored(ReplayClock::evaluations).value()};
  const std::vector<StrategyChoice> strategies = {{"random", {}}, {"greedy_ils", {}}};
  const auto alone = score(spaces, strategies, {.repeats = 5, .resamples = 20, .threads = 1}).value();
  const auto many = score(spaces, strategies, {.repeats = 5, .resamples = 20, .threads = 4}).value();
  for (std::size_t s = 0; s < strategies.size(); ++s) {
    EXPECT_EQ(alone[s].curve, many[s].curve);
    EXPECT_EQ(alone[s].score.low, many[s].score.low);
  }
}

TEST(Score, IsTheMeanOverTheSpaces) {
  const Recorded recorded(valley());
  const std::vector<ScoredSpace> spaces = {recorded.scored().value(),
                                           recorded.scored(ReplayClock::evaluations).value()};
  const auto scores = score(spaces, {{"random", {}}}, {.repeats = 5, .resamples = 10}).value();
  const auto& each = scores[0].spaces;
  EXPECT_NEAR(scores[0].score.value, (each[0].score.value + each[1].score.value) / 2, 1e-9);
}

TEST(Score, ReportsEveryRun) {
  const Recorded recorded(valley());
  std::vector<std::size_t> done;
  ScoreOptions options{.repeats = 3, .resamples = 10};
  options.progress = [&](std::size_t count, std::size_t all) {
    EXPECT_EQ(all, 3u);
    done.push_back(count);
  };
  ASSERT_TRUE(score({recorded.scored().value()}, {{"random", {}}}, options));
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3}));
}

TEST(Score, OfEqualStrategiesIsEqual) {
  const Recorded recorded(valley());
  const auto scores =
      score({recorded.scored().value()}, {{"random", {}}, {"random", {}}}, {.repeats = 5, .resamples = 20}).value();
  EXPECT_EQ(scores[0].score.value, scores[1].score.value);
  EXPECT_EQ(scores[0].score.low, scores[1].score.low);
}

// With ten and five configurations the measured part is 2 to 6 s. A quarter of all draws of two runs hold only the late
// one.
TEST(Score, DrawsSomeRunOfTheMeasuredPart) {
  const Recorded recorded(ten_and_five_results());
  const SearchRun inside{{{2, 3}, {4, 2}, {6, 1}}};
  const SearchRun late{{{100, 1}}};
  const auto scored = score_runs({recorded.scored().value()}, "recorded", {{inside, late}}, {.resamples = 100});
  ASSERT_TRUE(scored) << scored.error().to_string();
  EXPECT_TRUE(std::isfinite(scored->score.low));
}

// The metric is to be large: 2 and 1 are the optimum and half of it.
TEST(Score, ShareOfTheOptimumIsOfWhatIsWanted) {
  ResultSet results = valley();
  for (std::size_t i = 0; i < results.trials.size(); ++i)
    results.trials[i].observation.objective_value = i == 0 ? -2.0 : i == 1 ? -1.0 : -0.5;
  const Recorded recorded(results);
  const auto scored = score_runs({recorded.scored().value()}, "recorded",
                                 {{SearchRun{{{1, -1}}}, SearchRun{{{1, -2}}}}}, {.resamples = 10});
  ASSERT_TRUE(scored) << scored.error().to_string();
  EXPECT_DOUBLE_EQ(scored->spaces[0].share_of_optimum, 0.75);
}

TEST(Score, SearchTimeCountsOnlyWhereTheClockSaysSo) {
  const Recorded recorded(valley());
  const auto seconds = [&](ReplayClock clock) {
    return score({recorded.scored(clock).value()}, {{"greedy_ils", {}}}, {.repeats = 3, .resamples = 10})
        .value()[0]
        .spaces[0]
        .search_seconds;
  };
  EXPECT_EQ(seconds(ReplayClock::recorded), 0.0);
  EXPECT_GT(seconds(ReplayClock::recorded_and_search), 0.0);
}

// There are two configurations. The budget is smaller than any strategy's beginning, and every run ends with the space.
TEST(Score, OfATinySpaceIsSensible) {
  const Recorded recorded(grid({correct(2e6, 0.111), correct(3e6, 0.111)}, 2));
  const auto scores = score({recorded.scored().value()}, {{"random", {}}, {"auto", {}}}, {.repeats = 4});
  ASSERT_TRUE(scores) << scores.error().to_string();
  for (const StrategyScore& each : *scores) {
    EXPECT_DOUBLE_EQ(each.spaces[0].optimum_found, 1.0);
    EXPECT_LE(each.score.high, 1.0 + 1e-9);
    EXPECT_GE(each.score.low, -2.0);
  }
}

TEST(Score, SaysWhatIsWrong) {
  const Recorded recorded(valley());
  const ScoredSpace space = recorded.scored().value();
  const auto message = [](const auto& result) { return result.error().to_string(); };
  EXPECT_EQ(message(score({}, {{"random", {}}}, {})), "no space to score on");
  EXPECT_EQ(message(score({space}, {}, {})), "no strategy to score");
  EXPECT_EQ(message(score({space}, {{"random", {}}}, {.repeats = 0})), "at least one repeat is needed");
  EXPECT_THAT(message(score({space}, {{"randon", {}}}, {})), HasSubstr("did you mean `random`"));
  EXPECT_THAT(message(score({space}, {{"greedy_ils", {{"walk", 1.0}}}}, {})), HasSubstr("no such parameter"));
  const Recorded constant(grid({correct(10, 1), correct(10, 1)}, 2));
  EXPECT_EQ(message(constant.scored()),
            "made up: all correct configurations are equally fast: there is nothing to search for");
}

// Two of 100 configurations are correct, and the failures cost more than the whole budget.
TEST(Score, SaysWhenNothingIsFoundWithinTheBudget) {
  std::vector<Observation> observations(100, failed(1.0));
  observations[98] = correct(10, 1);
  observations[99] = correct(20, 1);
  const Recorded recorded(grid(observations, 10));
  const auto scores = score({recorded.scored().value()}, {{"exhaustive", {}}}, {.repeats = 2, .resamples = 10});
  ASSERT_FALSE(scores);
  EXPECT_EQ(scores.error().to_string(),
            "made up: no run of exhaustive found a correct configuration within the budget of 2.2 s");
}

}  // namespace
}  // namespace wattune::score
