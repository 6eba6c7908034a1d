#include "model/interface/power_cap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/emulated_boards.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

// Returns the board whose tau is 1348 MHz.
const simulate::BoardModel& a4000() { return emulated("A4000-recorded"); }
PowerCurve power() { return simulate::power_curve(a4000()); }

// It throttles from 1755 MHz on, so 1740 is the last clock below 140 W.
TEST(PowerCap, ForcesTheHighestClockThatDrawsLess) {
  const auto table = a4000().clocks;
  EXPECT_EQ(clock_under_cap(power(), Watts(140), table).value(), Megahertz(1740));
  EXPECT_EQ(clock_under_cap(power(), Watts(1000), table).value(), Megahertz(2100));
  // Below tau: 29.3 + 0.0376 f = 70 at 1082 MHz, and 1080 is a clock.
  EXPECT_EQ(clock_under_cap(power(), Watts(70), table).value(), Megahertz(1080));
}

// 29.3 + 0.0376 * 210 = 37.2 W is the least that the load draws.
TEST(PowerCap, CannotBeObeyedBelowThePowerOfTheLowestClock) {
  EXPECT_THAT(clock_under_cap(power(), Watts(37), a4000().clocks).error().to_string(),
              HasSubstr("the load draws more than the cap at every clock: `37 W` (lock a clock instead)"));
}

// A cap that leads to the best clock saves as much. The least cap of the board, 100 W, is above the 80.0 W that the
// best clock draws at 1350 MHz, so there the clock saves more (section V-C).
TEST(PowerCap, SavesAsMuchAsTheBestClockIfItReachesIt) {
  const auto table = a4000().clocks;
  const TimeCurve computes{Nanoseconds(0), 1e6};
  const OperatingPoint clock = least_energy(power(), computes, table).value();
  EXPECT_EQ(clock.clock, Megahertz(1350));
  const std::vector<Watts> reaching = {Watts(70), Watts(80.3), Watts(100), Watts(140)};
  const CapChoice same = best_cap(power(), computes, reaching, table).value();
  EXPECT_EQ(same.cap, Watts(80.3));
  EXPECT_EQ(same.point.clock, clock.clock);
  const std::vector<Watts> allowed = {Watts(100), Watts(120), Watts(140)};
  const CapChoice worse = best_cap(power(), computes, allowed, table).value();
  EXPECT_EQ(worse.cap, Watts(100));
  EXPECT_GT(worse.point.energy, clock.energy);
}

TEST(PowerCap, LeavesOutCapsThatTheLoadCannotObey) {
  const TimeCurve computes{Nanoseconds(0), 1e6};
  const auto table = a4000().clocks;
  EXPECT_EQ(best_cap(power(), computes, std::vector{Watts(10), Watts(120)}, table)->cap, Watts(120));
  EXPECT_THAT(best_cap(power(), computes, std::vector{Watts(10), Watts(20)}, table).error().to_string(),
              HasSubstr("`20 W`"));
  EXPECT_THAT(best_cap(power(), computes, {}, table).error().to_string(), HasSubstr("no cap to choose from"));
  EXPECT_THAT(best_cap(power(), computes, std::vector{Watts(10)}, {}).error().to_string(),
              HasSubstr("no clock to choose from"));
}

}  // namespace
}  // namespace wattune::model
