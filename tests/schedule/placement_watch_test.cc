#include "schedule/placement_watch.h"

#include <gtest/gtest.h>

namespace wattune::schedule {
namespace {

constexpr KernelId kFirst = 3;
constexpr KernelId kSecond = 5;

class PlacementWatchTest : public ::testing::Test {
 protected:
  bool launch(KernelId kernel, double rate, const model::BlockRatio& ratio = {4, 2}) {
    if (kernel == kFirst) return watch_.advises_new_start(kFirst, {kSecond, {.ratio = ratio}}, kTime, rate);
    return watch_.advises_new_start(kSecond, {kFirst, {.ratio = {ratio.second, ratio.first}}}, kTime, rate);
  }
  // Windows of four launches of each; how often a new start was advised.
  int run(int windows, double of_first, double of_second, const model::BlockRatio& ratio = {4, 2}) {
    int advised = 0;
    for (int i = 0; i < 4 * windows; ++i) {
      if (launch(kFirst, of_first, ratio)) ++advised;
      if (launch(kSecond, of_second, ratio)) ++advised;
    }
    return advised;
  }

  static constexpr Nanoseconds kTime{1e6};
  PlacementWatch watch_;
};

TEST_F(PlacementWatchTest, APairThatStaysAsFastGoesOn) { EXPECT_EQ(run(100, 0.8, 0.7), 0); }

TEST_F(PlacementWatchTest, APairThatBecomesSlowerBeginsAnew) {
  EXPECT_EQ(run(2, 0.8, 0.7), 0);
  EXPECT_EQ(run(1, 0.7, 0.65), 0);
  EXPECT_EQ(run(1, 0.7, 0.65), 1);
}

TEST_F(PlacementWatchTest, WhereANewStartDoesNotHelpTheSpeedIsUsualFromThenOn) {
  run(2, 0.8, 0.7);
  EXPECT_EQ(run(1000, 0.7, 0.65), 1);
  EXPECT_EQ(run(3, 0.6, 0.65), 0);
  EXPECT_EQ(run(1, 0.6, 0.65), 1);  // with twice the patience
}

TEST_F(PlacementWatchTest, AfterOneThatHelpedItIsAdvisedAsSoonAsAtFirst) {
  run(2, 0.8, 0.7);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(2, 0.7, 0.65), 1);
    EXPECT_EQ(run(2, 0.8, 0.7), 0);
  }
}

// Beside the end of the other's launch and the beginning of the next a kernel is faster.
TEST_F(PlacementWatchTest, LaunchesMayDiffer) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(launch(kFirst, i % 2 == 0 ? 0.84 : 0.74));
    EXPECT_FALSE(launch(kSecond, i % 3 == 0 ? 0.70 : 0.62));
  }
}

TEST_F(PlacementWatchTest, OneFastWindowIsNotUsual) {
  run(2, 0.8, 0.7);
  EXPECT_EQ(run(1, 1.0, 0.7), 0);
  EXPECT_EQ(run(100, 0.8, 0.7), 0);
}

TEST_F(PlacementWatchTest, EachRatioHasItsOwnPace) {
  run(2, 0.8, 0.7);
  EXPECT_EQ(run(100, 0.7, 0.65, {2, 4}), 0);
}

// What the one loses the other has.
TEST_F(PlacementWatchTest, OnlyTheSumOfSpeedsCounts) {
  run(2, 0.8, 0.7);
  EXPECT_EQ(run(100, 0.7, 0.8), 0);
}

}  // namespace
}  // namespace wattune::schedule
