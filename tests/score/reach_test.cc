#include "score/interface/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/recorded.h"

namespace wattune::inline v0_1::score {
namespace {

// One of four is found with 1/4 by the first draw, and with 1/2 by the second. Two of four are found with 1/2 by the
// first. Two of five are not found by one draw with 3/5, and by two with 3/5 * 2/4 = 0.3.
TEST(MedianDraws, FollowsDrawingWithoutReplacement) {
  EXPECT_EQ(median_draws(1, 4), 2u);
  EXPECT_EQ(median_draws(2, 4), 1u);
  EXPECT_EQ(median_draws(2, 5), 2u);
  EXPECT_EQ(median_draws(5, 5), 1u);
  EXPECT_EQ(median_draws(1, 1001), 501u);
}

struct RecordedGrid {
  explicit RecordedGrid(const ResultSet& results)
      : space(tune::recorded_space(results).value()), recording(tune::Recording::match(space, results).value()) {}

  ScoredSpace scored() const {
    return ScoredSpace::of("made up", space, recording, tune::ReplayClock::evaluations).value();
  }

  space::SearchSpace space;
  tune::Recording recording;
};

// The times are 100, 99, ... 1 ns, and every tenth fails. 1 ns is the optimum, 2 ns within 100 % of it. Ids go by x and
// then y. So exhaustive search meets 2 ns, at x = 8 and y = 9, as the 90th, and 1 ns, failed ones counted, as the
// 100th.
TEST(Reach, CountsEvaluationsUntilNearEnough) {
  std::vector<Observation> observations;
  for (int i = 0; i < 100; ++i) observations.push_back(i % 10 == 0 ? failed(1.0) : correct(100 - i, 1.0));
  const RecordedGrid recorded(grid(observations, 10));
  const std::vector<StrategyChoice> strategies = {{"exhaustive", {}}, {"random", {}}};
  const auto near = reach({recorded.scored()}, strategies, {.within = 1.0, .repeats = 201}).value();
  EXPECT_EQ(near[0].spaces[0].near, 2u);
  EXPECT_EQ(near[0].spaces[0].median, 90.0);
  EXPECT_EQ(near[0].spaces[0].random, 30.0);  // 70 * 69 / (100 * 99) = 0.488, 71 * 70 / (100 * 99) = 0.502
  EXPECT_NEAR(near[0].speedup, 30.0 / 90.0, 1e-12);
  EXPECT_NEAR(near[1].speedup, 1.0, 0.3);  // the median of 201 such runs deviates by some 2.5
  EXPECT_EQ(reach({recorded.scored()}, {{"exhaustive", {}}}, {.within = 0.0, .repeats = 2}).value()[0].spaces[0].median,
            100.0);
}

TEST(Reach, RefusesWhatHasNoAnswer) {
  const RecordedGrid zero(grid({correct(0, 1.0), correct(1, 1.0), correct(2, 1.0), correct(3, 1.0)}, 2));
  const auto message = [&](const ReachOptions& options) {
    return reach({zero.scored()}, {{"random", {}}}, options).error().to_string();
  };
  EXPECT_THAT(message({.within = -0.1}), testing::HasSubstr("below 0"));
  EXPECT_THAT(message({}), testing::HasSubstr("made up: the optimum is not positive"));
  EXPECT_THAT(message({.repeats = 0}), testing::HasSubstr("at least one repeat"));
}

}  // namespace
}  // namespace wattune::score
