#include "wattune/power/sensor.h"

#include <gtest/gtest.h>

namespace wattune::power {
namespace {

TEST(Sensor, HasWordsForItsScopeAndItsResponse) {
  EXPECT_STREQ(to_string(Scope::module), "module");
  EXPECT_STREQ(to_string(Response::boxcar), "boxcar");
}

}  // namespace
}  // namespace wattune::power
