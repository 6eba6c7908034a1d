// Advice on clocks for recorded kernels (replayed), if the data are present; docs/results/frugal.md has the tables.
#include "model/advice_replay.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::model {
namespace {

class RecordedAdvice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = recorded_board(GetParam());
    if (!read) GTEST_SKIP() << "the recorded data are not here: " << read.error().to_string();
    kernels = *std::move(read);
  }
  ReplaySummary advised(std::size_t clocks, const ClockGoal& goal = {}) const {
    return summary_of(replayed(kernels, clocks, goal));
  }
  ReplaySummary fixed() const { return summary_of(at_fixed_clock(kernels, best_fixed_clock(kernels))); }
  bool is_v100() const { return GetParam() == "v100"; }

  std::vector<RecordedKernel> kernels;
};
INSTANTIATE_TEST_SUITE_P(Board, RecordedAdvice, testing::Values("v100", "rtx8000"),
                         [](const auto& board) { return board.param; });

TEST_P(RecordedAdvice, HasTheBaselinesThatAreKnown) {
  EXPECT_EQ(kernels.size(), is_v100() ? 158u : 154u);
  std::set<std::string> benchmarks;
  for (const RecordedKernel& kernel : kernels) benchmarks.insert(kernel.over_clocks.group);
  EXPECT_EQ(benchmarks.size(), 26u);
  EXPECT_EQ(best_fixed_clock(kernels), Megahertz(is_v100() ? 945 : 1215));
  EXPECT_NEAR(fixed().mean, is_v100() ? 0.0012 : 0.0165, 5e-5);
  EXPECT_NEAR(fixed().worst, is_v100() ? 0.065 : 0.081, 5e-4);
}

TEST_P(RecordedAdvice, FromFeaturesAtTheHighestClockIsBetterThanAFixedClock) {
  const ReplaySummary advice = advised(1);
  EXPECT_LE(advice.mean, is_v100() ? fixed().mean + 0.001 : 0.012);
  EXPECT_LE(advice.worst, 0.081);
}

TEST_P(RecordedAdvice, WithTwoClocksIsBetterStill) {
  EXPECT_LE(advised(2).mean, is_v100() ? fixed().mean + 0.001 : 0.008);
}

TEST_P(RecordedAdvice, KeepsACapOfTenPercentWithFourClocks) {
  const ReplaySummary advice = advised(4, {.slowdown = 0.10});
  EXPECT_GE(advice.saved, 0.90);
  EXPECT_EQ(advice.violations, 0u);
}

// The advice promises 95 %.
TEST_P(RecordedAdvice, HasEnergiesInItsRange) {
  const ReplaySummary advice = advised(1);
  EXPECT_GT(advice.unmeasured, 150u);
  EXPECT_GE(static_cast<double>(advice.in_range), 0.90 * static_cast<double>(advice.unmeasured));
}

// On boards without features, two clocks are better than the best fixed one, and four save almost all that a cap
// allows.
TEST(RecordedAdviceWithoutFeatures, IsBetterThanAFixedClockWithTwo) {
  for (const auto& board : {recorded_titan_x(), recorded_gtx1080ti()}) {
    if (!board) GTEST_SKIP() << "the recorded data are not here: " << board.error().to_string();
    const double fixed = summary_of(at_fixed_clock(*board, best_fixed_clock(*board))).mean;
    EXPECT_LT(summary_of(replayed(*board, 2)).mean, 0.7 * fixed);
    EXPECT_GE(summary_of(replayed(*board, 4, {.slowdown = 0.10})).saved, 0.90);
  }
}

}  // namespace
}  // namespace wattune::model
