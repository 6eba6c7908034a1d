#include "score/interface/baseline.h"

#include <gtest/gtest.h>

#include "score/recorded.h"

namespace wattune::inline v0_1::score {
namespace {

using tune::ReplayClock;

// Values from worst to best: w_0 = 10 .. w_9 = 1, optimum 1, median 5.5.
TEST(Baseline, NeedsAsManyEvaluationsAsTheFormulaSays) {
  const Baseline baseline = Baseline::of(ten_and_five(), ReplayClock::recorded).value();
  EXPECT_EQ(baseline.valid(), 10u);
  EXPECT_EQ(baseline.failed(), 5u);
  EXPECT_EQ(baseline.optimum(), 1.0);
  EXPECT_EQ(baseline.median(), 5.5);
  // Cut 1 + 4.5 * 0.99 = 5.455, first met by w_5 = 5: ceil(5 / (11 - 5)) = 1.
  EXPECT_EQ(baseline.evaluations_to(0.01), 1u);
  // Cut 1 + 4.5 * 0.5 = 3.25, first met by w_7 = 3: ceil(7 / (11 - 7)) = 2.
  EXPECT_EQ(baseline.evaluations_to(0.5), 2u);
  // Cut 1.225, met by the optimum w_9 alone, so w_8 counts: ceil(8 / (11 - 8)) = 3.
  EXPECT_EQ(baseline.evaluations_to(0.95), 3u);
}

TEST(Baseline, CountsTheCostOfFailuresByTheirShare) {
  const Baseline baseline = Baseline::of(ten_and_five(), ReplayClock::recorded).value();
  EXPECT_DOUBLE_EQ(baseline.mean_cost(), 2.0 + 1.0 / 3.0);  // 2 s + 5 of 15 * 1 s
  EXPECT_DOUBLE_EQ(baseline.median_cost(), 2.0);            // the eighth of 5 * 1 s and 10 * 2 s
  EXPECT_DOUBLE_EQ(baseline.start(), 2.0);                  // 1 evaluation
  EXPECT_DOUBLE_EQ(baseline.end(), 6.0);                    // 3 evaluations
  EXPECT_DOUBLE_EQ(baseline.budget(), 6.6);
}

// Times 2, 3, 4, 5, 6 s are 0.86 .. 2.57 evaluations of 2.33 s, rounded 1, 1, 2, 2, 3. The expected ranks from the
// worst are 1 * 11 / 2 = 5.5, to even 6: 4 ns; 22 / 3, rounded 7: 3 ns; 33 / 4, rounded 8: 2 ns. The cubic through (1,
// 4), (2, 3), (3, 2) is a line, looked at from 1 to 3.
TEST(Baseline, CurveIsTheExpectedBestOfRandomSearch) {
  const Baseline baseline = Baseline::of(ten_and_five(), ReplayClock::recorded).value();
  EXPECT_EQ(baseline.times(5), (std::vector<double>{2, 3, 4, 5, 6}));
  const std::vector<double> expected = {4.0, 3.5, 3.0, 2.5, 2.0};
  const std::vector<double> curve = baseline.curve(5);
  ASSERT_EQ(curve.size(), expected.size());
  for (std::size_t k = 0; k < curve.size(); ++k) EXPECT_NEAR(curve[k], expected[k], 1e-12);
}

TEST(Baseline, EvaluationsAsTheClockCostOneEach) {
  const Baseline baseline = Baseline::of(ten_and_five(), ReplayClock::evaluations).value();
  EXPECT_DOUBLE_EQ(baseline.median_cost(), 1.0);
  EXPECT_DOUBLE_EQ(baseline.mean_cost(), 1.0 + 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(baseline.end(), 3.0);
}

// 3, 2, 1 ns: M(0.01) and M(0.95) are both 1, which no curve can be drawn over; one is added on each side.
TEST(Baseline, AlwaysCoversTwoEvaluations) {
  const auto trials = grid({correct(1, 1), correct(2, 1), correct(3, 1)}, 3).trials;
  const Baseline baseline = Baseline::of(trials, ReplayClock::recorded).value();
  EXPECT_EQ(baseline.evaluations_to(0.01), 1u);  // w_1 = 2 > 1.99, so the optimum w_2, so w_1: ceil(1 / 3)
  EXPECT_EQ(baseline.evaluations_to(0.95), 1u);
  EXPECT_DOUBLE_EQ(baseline.start(), 0.0);
  EXPECT_DOUBLE_EQ(baseline.end(), 2.0);
}

TEST(Baseline, RefusesSpacesWithNothingToSearchFor) {
  const auto message = [](const std::vector<Observation>& observations) {
    return Baseline::of(grid(observations, 1).trials, ReplayClock::recorded).error().to_string();
  };
  EXPECT_EQ(message({failed(1), failed(1)}), "no recorded configuration is correct");
  EXPECT_EQ(message({correct(5, 1)}), "all correct configurations are equally fast: there is nothing to search for");
  EXPECT_EQ(message({correct(5, 1), correct(5, 1), failed(1)}),
            "all correct configurations are equally fast: there is nothing to search for");
  EXPECT_EQ(message({failed(0), failed(0), failed(0), correct(1, 1e-9), correct(2, 2e-9)}),
            "evaluations were recorded as costing no time");
}

}  // namespace
}  // namespace wattune::score
