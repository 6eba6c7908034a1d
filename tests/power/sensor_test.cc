#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::HasSubstr;

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

TEST(RegisteredSensors, AreOpenedByTheirNameForADevice) {
  const OpenSensors open = [](const DeviceInfo& device) -> Result<Board> {
    Board board;
    board.name = "meter of " + device.selector;
    return board;
  };
  EXPECT_THAT(open_sensors("meter", {}).error().to_string(), HasSubstr("register_sensors()"));
  ASSERT_TRUE(register_sensors("meter", open));
  EXPECT_EQ(open_sensors("meter", {.selector = "host:0"}).value().name, "meter of host:0");
  EXPECT_EQ(register_sensors("meter", open).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(register_sensors("", open).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(register_sensors("other", nullptr).error().code(), ErrorCode::invalid_argument);
  const Error unknown = open_sensors("metre", {}).error();
  EXPECT_EQ(unknown.code(), ErrorCode::not_found);
  EXPECT_THAT(unknown.to_string(), HasSubstr("did you mean `meter`?"));
}

}  // namespace
}  // namespace wattune::power
