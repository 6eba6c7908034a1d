#include "model/interface/steered_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Megahertz> table(double lowest, double highest, double step) {
  std::vector<Megahertz> clocks;
  for (double clock = lowest; clock <= highest; clock += step) clocks.emplace_back(clock);
  return clocks;
}

// 1298 - 10 % = 1168.2 and + 10 % = 1427.8: in a table with steps of 90 MHz, 1200, 1290 and 1380 lie between.
TEST(SteeredClocks, KeepsWhatLiesWithinTheRange) {
  EXPECT_THAT(steered_clocks(Megahertz(1298), table(480, 2100, 90)).value(),
              ElementsAre(Megahertz(1200), Megahertz(1290), Megahertz(1380)));
}

// The paper's A4000: 1168.2 is nearest to 1200 and 1427.8 to 1470. Four of its 19 clocks are the 78.9 % by which it
// reduced the space.
TEST(SteeredClocks, RoundsItsEndsAsThePaperDid) {
  const auto clocks = table(480, 2100, 90);
  ASSERT_EQ(clocks.size(), 19u);
  const auto steered = steered_clocks(Megahertz(1298), clocks, {.ends = RangeEnds::to_nearest}).value();
  EXPECT_THAT(steered, ElementsAre(Megahertz(1200), Megahertz(1290), Megahertz(1380), Megahertz(1470)));
  EXPECT_NEAR(1.0 - static_cast<double>(steered.size()) / static_cast<double>(clocks.size()), 0.789, 0.001);
}

TEST(SteeredClocks, GivesTheNearestClockWhereNoneLiesWithin) {
  EXPECT_THAT(steered_clocks(Megahertz(1000), table(300, 1800, 500)).value(), ElementsAre(Megahertz(800)));
}

TEST(SteeredClocks, SortsATableAndDropsWhatIsTwiceInIt) {
  const std::vector<Megahertz> clocks = {Megahertz(1050), Megahertz(1000), Megahertz(1050)};
  EXPECT_THAT(steered_clocks(Megahertz(1000), clocks).value(), ElementsAre(Megahertz(1000), Megahertz(1050)));
}

TEST(SteeredClocks, RefusesWhatIsNoRange) {
  const auto clocks = table(300, 1800, 15);
  EXPECT_THAT(steered_clocks(Megahertz(1000), {}).error().to_string(), HasSubstr("clock table is empty"));
  EXPECT_THAT(steered_clocks(Megahertz(std::numeric_limits<double>::infinity()), clocks).error().to_string(),
              HasSubstr("the ridge is no clock: `inf`"));
  EXPECT_THAT(steered_clocks(Megahertz(1000), clocks, {.share = 1.5}).error().to_string(), HasSubstr("`1.5`"));
  EXPECT_THAT(steered_clocks(Megahertz(1000), table(0, 90, 15)).error().to_string(),
              HasSubstr("a clock of the table is not above 0"));
}

}  // namespace
}  // namespace wattune::model
