#include "model/interface/time_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

const PowerCurve kPowerOfA100{Watts(45.0), 0.0614, 1.285e-3, Megahertz(985)};

std::vector<Megahertz> a100_clocks() {
  std::vector<Megahertz> clocks;
  for (double clock = 210; clock <= 1410; clock += 15) clocks.emplace_back(clock);
  return clocks;
}

// 200 us + 300 000 cycles: at 1000 MHz 300 us more, at 500 MHz 600 us.
TEST(TimeCurve, IsFoundFromTwoClocks) {
  const std::vector<TimeSample> samples = {{Megahertz(1000), Nanoseconds(500e3)}, {Megahertz(500), Nanoseconds(800e3)}};
  const auto curve = fit_time_curve(samples).value();
  EXPECT_NEAR(curve.fixed.value(), 200e3, 1e-3);
  EXPECT_NEAR(curve.cycles, 300e3, 1e-3);
  EXPECT_NEAR(curve.at(Megahertz(1500)).value(), 400e3, 1e-3);
}

TEST(TimeCurve, HasNoNegativePart) {
  const std::vector<TimeSample> steeper = {{Megahertz(1000), Nanoseconds(100)}, {Megahertz(500), Nanoseconds(300)}};
  EXPECT_EQ(fit_time_curve(steeper)->fixed, Nanoseconds(0));
  const std::vector<TimeSample> rising = {{Megahertz(1000), Nanoseconds(300)}, {Megahertz(500), Nanoseconds(100)}};
  EXPECT_EQ(fit_time_curve(rising)->cycles, 0.0);
  EXPECT_NEAR(fit_time_curve(rising)->fixed.value(), 120.0, 1e-9);  // least squares of errors as shares of 300 and 100
}

// 600 000 cycles down to 400 us, which 1500 MHz reach: at 2000 MHz nothing is gained.
TEST(TimeCurve, KnowsKernelsThatStopGaining) {
  std::vector<TimeSample> samples;
  for (double clock = 600; clock <= 2000; clock += 100)
    samples.push_back({Megahertz(clock), Nanoseconds(std::max(400e3, 600e6 / clock))});
  const auto curve = fit_time_curve(samples).value();
  EXPECT_NEAR(curve.least.value(), 400e3, 1.0);
  EXPECT_NEAR(curve.cycles, 600e3, 1.0);
  EXPECT_NEAR(curve.at(Megahertz(2000)).value(), 400e3, 1.0);
}

// A V100 takes up to twice as long at its lowest clock as its other clocks let expect. The others are still told to
// 10 %.
TEST(TimeCurve, OneSlowClockDoesNotDecideAlone) {
  std::vector<TimeSample> samples = {{Megahertz(405), Nanoseconds(2.0 * 8190e6 / 405)}};
  for (const double clock : {502, 600, 705, 802, 945, 1087, 1102, 1237, 1380})
    samples.push_back({Megahertz(clock), Nanoseconds(8190e6 / clock)});
  const auto curve = fit_time_curve(samples).value();
  for (const TimeSample& sample : std::span(samples).subspan(4))
    EXPECT_NEAR(curve.at(sample.clock) / sample.time, 1.0, 0.1) << sample.clock.value();
}

// Times of a kernel that gains everywhere, which vary by 1 %, show no least time.
TEST(TimeCurve, SeesNoLeastTimeInNoise) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1.0, 0.01);
  int with_least = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<TimeSample> samples;
    for (double clock = 600; clock <= 2000; clock += 100)
      samples.push_back({Megahertz(clock), Nanoseconds((200e3 + 300e6 / clock) * noise(random))});
    with_least += fit_time_curve(samples)->least > Nanoseconds(0) ? 1 : 0;
  }
  EXPECT_LE(with_least, 10);
}

TEST(TimeCurve, NeedsTwoClocksAndPositiveTimes) {
  const std::vector<TimeSample> one = {{Megahertz(1000), Nanoseconds(100)}, {Megahertz(1000), Nanoseconds(110)}};
  EXPECT_THAT(fit_time_curve(one).error().to_string(), HasSubstr("a fit needs times at two clocks: `1`"));
  const std::vector<TimeSample> zero = {{Megahertz(1000), Nanoseconds(0)}, {Megahertz(500), Nanoseconds(110)}};
  EXPECT_THAT(fit_time_curve(zero).error().to_string(), HasSubstr("`1000 MHz, 0 ns`"));
}

// P(1000 MHz) is 108.79 W; 500 us of it are 54.4 mJ.
TEST(OperatingPoint, TakesPowerForTime) {
  const OperatingPoint point = operating_point(kPowerOfA100, {Nanoseconds(200e3), 300e3}, Megahertz(1000));
  EXPECT_NEAR(point.power.value(), 108.79, 0.01);
  EXPECT_EQ(point.time, Nanoseconds(500e3));
  EXPECT_NEAR(point.energy.value(), 54.4e-3, 1e-5);
}

// Tau, 985, is no clock of the table. P(f)/f is 45/975 + 0.0614 = 0.10755 W/MHz at 975 MHz. At 990 MHz, where v is
// 1.0064, it is 45/990 + 0.0614 * 1.0129 = 0.10765.
TEST(LeastEnergy, OfAKernelThatComputesLiesAtTheRidge) {
  const auto best = least_energy(kPowerOfA100, {Nanoseconds(0), 1e6}, a100_clocks());
  EXPECT_EQ(best->clock, Megahertz(975));
}

// A kernel that only waits for memory takes the same time everywhere and the least power at the lowest clock. In
// between, the best clock falls as the memory's share grows.
TEST(LeastEnergy, FallsAsMemoryTakesMoreOfTheTime) {
  const auto clocks = a100_clocks();
  EXPECT_EQ(least_energy(kPowerOfA100, {Nanoseconds(1e6), 0.0}, clocks)->clock, Megahertz(210));
  const Megahertz half = least_energy(kPowerOfA100, {Nanoseconds(1e6), 1e6}, clocks)->clock;
  EXPECT_GT(half, Megahertz(210));
  EXPECT_LT(half, Megahertz(975));
}

TEST(LeastEnergy, NeedsAClock) {
  EXPECT_THAT(least_energy(kPowerOfA100, {}, {}).error().to_string(), HasSubstr("no clock to choose from"));
}

}  // namespace
}  // namespace wattune::model
