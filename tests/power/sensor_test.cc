#include "wattune/power/recorder.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::power {
namespace {

TEST(Sensor, HasWordsForItsScopeAndItsResponse) {
  EXPECT_STREQ(to_string(Scope::module), "module");
  EXPECT_STREQ(to_string(Response::boxcar), "boxcar");
}

// A period of 20 ms is read every 5 ms, one of 4 ms as often as possible, one of 1,000 as seldom as possible; heat
// every 100.
TEST(Sensor, IsReadFourTimesInItsPeriodWithinWhatMakesSense) {
  const auto interval = [](double ms, Response response = Response::boxcar) {
    return to_ms(reading_interval({.response = response, .period = nanoseconds_from_ms(ms)}));
  };
  EXPECT_EQ(interval(20), 5);
  EXPECT_EQ(interval(4), 2);
  EXPECT_EQ(interval(1000), 25);
  EXPECT_EQ(interval(100, Response::direct), 100);
  EXPECT_EQ(interval(0, Response::direct), 25) << "which nobody knows";
}

}  // namespace
}  // namespace wattune::power
