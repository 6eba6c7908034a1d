#include "score/interface/curve.h"

#include <gtest/gtest.h>

#include "score/recorded.h"

namespace wattune::inline v0_1::score {
namespace {

// The measured part is 2 to 6 s. Random search is expected to have 4 ns at first and 2 ns at last, on a line
// (baseline_test.cc).
class Curves : public testing::Test {
 protected:
  Curves() : baseline_(Baseline::of(ten_and_five(), tune::ReplayClock::recorded).value()) {}

  std::vector<double> curve(const std::vector<SearchRun>& runs) const { return Performance(baseline_, runs).curve(1); }

  Baseline baseline_;
};

TEST_F(Curves, FindingTheOptimumAtOnceIsOne) {
  for (const double value : curve(std::vector<SearchRun>(3, SearchRun{{{1.9, 1}, {6.2, 1}}})))
    EXPECT_DOUBLE_EQ(value, 1.0);
}

// (4 - 4) / (1 - 4) = 0 at first, (4 - 3) / (1 - 3) in the middle, (4 - 2) / (1 - 2) = -2 at last.
TEST_F(Curves, StandingStillFallsBehindRandomSearch) {
  const std::vector<double> values = curve(std::vector<SearchRun>(3, SearchRun{{{1.9, 4}, {6.2, 4}}}));
  EXPECT_NEAR(values.front(), 0.0, 1e-9);
  EXPECT_NEAR(values[kCurvePoints / 2], -0.5, 0.01);
  EXPECT_NEAR(values.back(), -2.0, 1e-9);
}

// The run is at rank 9 up to 3 s and at rank 0 from 5 s on; a line between.
TEST_F(Curves, FollowsTheBestSoFarByRank) {
  const Performance performance(baseline_, {SearchRun{{{2, 10}, {3, 10}, {5, 1}, {6, 1}}}});
  const std::vector<double> values = performance.weighted_curve({1.0});
  // Point k is at 2 + 4 k / 999 s: just after 4 s rank 4.49, so 4, 5 ns; random search has 3: (5 - 3) / (1 - 3) = -1.
  EXPECT_NEAR(values[500], -1.0, 0.01);
  EXPECT_DOUBLE_EQ(values.back(), 1.0);
}

TEST_F(Curves, WeightsSayHowOftenARunCounts) {
  const std::vector<SearchRun> runs = {SearchRun{{{2, 1}, {6, 1}}}, SearchRun{{{2, 3}, {6, 3}}}};  // ranks 0 and 2
  const Performance performance(baseline_, runs);
  // At last random search has 2 ns. So 3 ns is (3 - 2) / (1 - 2) = -1, 1 ns is 1, and rank 1 of both together is 0.
  EXPECT_NEAR(performance.weighted_curve({0, 1}).back(), -1.0, 1e-9);
  EXPECT_NEAR(performance.weighted_curve({1, 0}).back(), 1.0, 1e-9);
  EXPECT_NEAR(performance.weighted_curve({1, 1}).back(), 0.0, 1e-9);
}

// The runs end at 2.5, 2.6, 4 and 5.9 s, with a median of 3.3 s. So the result of the one run after 4 s does not count.
// The held value is rank 3, 4 ns: (4 - 2) / (1 - 2) = -2.
TEST_F(Curves, HoldsTheValueWhereMostRunsHaveEnded) {
  std::vector<SearchRun> runs = {SearchRun{{{2, 4}, {2.5, 4}}}, SearchRun{{{2, 4}, {2.6, 4}}},
                                 SearchRun{{{2, 4}, {4, 4}}}, SearchRun{{{2, 4}, {5.9, 1}}}};
  EXPECT_NEAR(Performance(baseline_, runs).weighted_curve({1, 1, 1, 1}).back(), -2.0, 1e-9);
  // With all runs to the end it does.
  for (std::size_t i = 0; i < 3; ++i) runs[i].points.push_back({5.9, 1});
  EXPECT_DOUBLE_EQ(Performance(baseline_, runs).weighted_curve({1, 1, 1, 1}).back(), 1.0);
}

TEST_F(Curves, EqualSeedsGiveEqualCurves) {
  const std::vector<SearchRun> runs = {SearchRun{{{2, 9}, {3, 5}, {4, 2}, {6, 1}}},
                                       SearchRun{{{2, 7}, {3, 6}, {5, 3}, {6, 2}}}};
  const Performance performance(baseline_, runs);
  EXPECT_EQ(performance.curve(7), performance.curve(7));
  EXPECT_NE(performance.curve(7), performance.curve(8));
}

// One evaluation of 100 s lies beyond the measured part: its value is all there is.
TEST_F(Curves, OneLongEvaluationIsStillACurve) {
  const std::vector<double> values = curve({SearchRun{{{100, 2}}}});
  EXPECT_NEAR(values.back(), 0.0, 1e-9);
}

}  // namespace
}  // namespace wattune::score
