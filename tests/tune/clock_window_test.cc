#include <gtest/gtest.h>

#include <algorithm>

#include "tune/interface/methods.h"

namespace wattune::inline v0_1::tune {
namespace {

// Returns an emulated power: P = 45 W + 0.0614 W/MHz f v(f)^2, v = 1 + 1.285e-3 max(0, f - 985). Its P / f is least at
// 985 MHz.
Watts power(double clock) {
  const double voltage = 1.0 + 1.285e-3 * std::max(0.0, clock - 985.0);
  return Watts(45.0 + 0.0614 * clock * voltage * voltage);
}

std::vector<search::ClockPoint> sweep(double fixed_ms) {
  std::vector<search::ClockPoint> points;
  for (double clock = 210; clock <= 1410; clock += 100) {
    const Nanoseconds time = nanoseconds_from_ms(fixed_ms + 2000.0 / clock);
    points.push_back({Megahertz(clock), time, power(clock) * time});
  }
  return points;
}

TEST(SteeredWindow, LiesAroundTheRidgeOfAKernelThatOnlyComputes) {
  const auto window = steered_window(sweep(0.0)).value();
  EXPECT_NEAR(window.low.value(), 0.9 * 985, 10);
  EXPECT_NEAR(window.high.value(), 1.1 * 985, 12);
}

// With 2 ms that no clock shortens, P(f) (2 + 2000 / f) is least where 2 P'(f) f^2 + 2000 (P'(f) f - P(f)) = 0. Below
// 985 MHz P' = 0.0614, so that 0.1228 f^2 = 90,000 and f = 856 MHz.
TEST(SteeredWindow, LiesLowerForAKernelThatWaitsForMemory) {
  const auto window = steered_window(sweep(2.0)).value();
  EXPECT_NEAR(window.low.value(), 0.9 * 856, 10);
}

// Above 1210 MHz the board is throttled to the power that it draws there, and takes the time of that clock.
TEST(SteeredWindow, LeavesOutClocksAtWhichTheBoardIsHeldBack) {
  std::vector<search::ClockPoint> held = sweep(0.0);
  for (search::ClockPoint& point : held)
    if (point.clock > Megahertz(1210)) point = {point.clock, held[10].time, held[10].energy};
  const auto window = steered_window(held).value();
  EXPECT_NEAR(window.low.value(), 0.9 * 985, 10);
}

TEST(SteeredWindow, OfFewClocksIsThatOfTheSweepItself) {
  std::vector<search::ClockPoint> few = sweep(0.0);
  few.resize(4);
  EXPECT_EQ(steered_window(few).value().low, search::window_around_least_energy(few).value().low);
}

}  // namespace
}  // namespace wattune::tune
