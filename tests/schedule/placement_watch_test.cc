#include "schedule/placement_watch.h"

#include <gtest/gtest.h>

namespace wattune::schedule {
namespace {

constexpr KernelId kFirst = 3;
constexpr KernelId kSecond = 5;

class PlacementWatchTest : public ::testing::Test {
 protected:
  // So many launches of each; how often a new start was advised.
  int run(int launches, double of_first, double of_second, const model::BlockRatio& ratio = {4, 2}) {
    int advised = 0;
    for (int i = 0; i < launches; ++i) {
      if (watch_.advises_new_start(kFirst, {kSecond, {.ratio = ratio}}, of_first)) ++advised;
      if (watch_.advises_new_start(kSecond, {kFirst, {.ratio = {ratio.second, ratio.first}}}, of_second)) ++advised;
    }
    return advised;
  }

  PlacementWatch watch_;
};

TEST_F(PlacementWatchTest, APairThatStaysAsFastGoesOn) { EXPECT_EQ(run(100, 0.8, 0.7), 0); }

TEST_F(PlacementWatchTest, APairThatBecomesSlowerBeginsAnew) {
  EXPECT_EQ(run(3, 0.8, 0.7), 0);
  EXPECT_EQ(run(1, 0.7, 0.65), 0);
  EXPECT_EQ(run(2, 0.7, 0.65), 1);
}

TEST_F(PlacementWatchTest, WhereANewStartDoesNotHelpItIsAdvisedEverMoreSeldom) {
  run(3, 0.8, 0.7);
  EXPECT_EQ(run(1000, 0.7, 0.65), 8);
}

TEST_F(PlacementWatchTest, AfterOneThatHelpedItIsAdvisedAsSoonAsAtFirst) {
  run(3, 0.8, 0.7);
  ASSERT_EQ(run(20, 0.7, 0.65), 3);
  EXPECT_EQ(run(3, 0.8, 0.7), 0);
  EXPECT_EQ(run(3, 0.7, 0.65), 1);
}

// It ran longer than its partner, for instance.
TEST_F(PlacementWatchTest, OneFastLaunchIsNotUsual) {
  run(3, 0.8, 0.7);
  EXPECT_FALSE(watch_.advises_new_start(kFirst, {kSecond, {.ratio = {4, 2}}}, 1.0));
  EXPECT_EQ(run(100, 0.8, 0.7), 0);
}

TEST_F(PlacementWatchTest, EachRatioHasItsOwnPace) {
  run(3, 0.8, 0.7);
  EXPECT_EQ(run(100, 0.7, 0.65, {2, 4}), 0);
}

// What the one loses the other has.
TEST_F(PlacementWatchTest, OnlyTheSumOfSpeedsCounts) {
  run(3, 0.8, 0.7);
  EXPECT_EQ(run(100, 0.7, 0.8), 0);
}

}  // namespace
}  // namespace wattune::schedule
