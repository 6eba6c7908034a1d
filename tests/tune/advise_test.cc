#include "wattune/tune/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace wattune::inline v0_1::tune {
namespace {

using testing::HasSubstr;

const std::vector<Megahertz> kTable = {Megahertz(500),  Megahertz(800),  Megahertz(1100),
                                       Megahertz(1400), Megahertz(1700), Megahertz(2000)};

// Returns a kernel of which the core takes the share `core` of the time at the highest clock, on a board of 40 W and
// 0.03 W/MHz f v^2 with v = 1 + 5e-4 (f - 1000 MHz) above 1000 MHz.
search::ClockPoint at(Megahertz clock, double core) {
  const double f = clock.value();
  const double v = 1.0 + 5e-4 * std::max(0.0, f - 1000.0);
  const Nanoseconds time = nanoseconds_from_ms(1.0 - core + core * 2000.0 / f);
  return {clock, time, Watts(40.0 + 0.03 * f * v * v) * time};
}

std::vector<MeasuredKernel> other_kernels() {
  std::vector<MeasuredKernel> others;
  for (int i = 0; i < 12; ++i) {
    others.push_back({.name = std::to_string(i), .points = {}});
    for (const Megahertz clock : kTable) others.back().points.push_back(at(clock, 0.05 + 0.075 * i));
  }
  return others;
}

Result<Advice> advised(double core, const AdviceOptions& options = {}) {
  return advise([&](Megahertz clock) { return at(clock, core); }, kTable, other_kernels(), options);
}

Megahertz best_clock(double core) {
  return *std::ranges::min_element(kTable, {}, [&](Megahertz clock) { return at(clock, core).energy; });
}

TEST(Advise, MeasuresAsManyClocksAsAreAllowedTheHighestFirst) {
  for (const std::size_t clocks : {1, 2, 4, 6, 10}) {
    const Advice advice = advised(0.4, {.clocks = clocks}).value();
    ASSERT_EQ(advice.measured.size(), std::min<std::size_t>(clocks, 6));
    EXPECT_EQ(advice.measured.front().clock, Megahertz(2000));
    EXPECT_EQ(advice.next.has_value(), clocks < 6);
  }
}

// The shares of none of the known kernels are those asked for. At the highest clock all draw the same power, so that
// one clock alone says nothing.
TEST(Advise, ComesCloserWithMoreClocks) {
  for (const auto& [clocks, bound] : std::map<std::size_t, double>{{2, 1.05}, {4, 1.005}})
    for (const double core : {0.09, 0.33, 0.5, 0.62, 0.84}) {
      const Advice advice = advised(core, {.clocks = clocks}).value();
      EXPECT_LE(at(advice.clock, core).energy / at(best_clock(core), core).energy, bound) << core;
      const double energy = at(advice.clock, core).energy / at(Megahertz(2000), core).energy;
      EXPECT_GE(energy, 0.99 * advice.energy.low) << core;
      EXPECT_LE(energy, 1.01 * advice.energy.high) << core;
    }
}

TEST(Advise, WithAllClocksMeasuredThereIsNoRegret) {
  const Advice advice = advised(0.5, {.clocks = 6}).value();
  EXPECT_EQ(advice.clock, best_clock(0.5));
  EXPECT_TRUE(advice.is_measured);
  EXPECT_EQ(advice.regret, 0.0);
}

// At 2000 MHz the board draws 175 W, at 1400 MHz 100 W, at 1100 MHz 76 W.
TEST(Advise, KeepsItsLimits) {
  const Advice capped = advised(0.5, {.power = Watts(90), .clocks = 3}).value();
  EXPECT_LE(capped.clock, Megahertz(1100));
  EXPECT_GE(capped.chance, 0.9);
  const Advice quick = advised(0.5, {.slowdown = 0.10, .clocks = 3}).value();
  EXPECT_GE(quick.clock, Megahertz(1700));
  const auto impossible = advised(0.5, {.power = Watts(20), .clocks = 3});
  EXPECT_THAT(impossible.error().to_string(), HasSubstr("no clock keeps the limits surely enough"));
}

TEST(Advise, RefusesWhatItCannotUse) {
  EXPECT_THAT(advised(0.5, {.clocks = 0}).error().to_string(), HasSubstr("one clock or more"));
  EXPECT_THAT(advised(0.5, {.power = Watts(-1)}).error().to_string(), HasSubstr("a cap of power is above 0"));
  const auto measure = [](Megahertz clock) { return at(clock, 0.5); };
  EXPECT_THAT(advise(measure, {Megahertz(700)}, other_kernels()).error().to_string(), HasSubstr("two clocks"));
  std::vector<MeasuredKernel> few = other_kernels();
  few.resize(2);
  EXPECT_THAT(advise(measure, kTable, few).error().to_string(), HasSubstr("kernels of 3 groups"));
  const auto failing = [](Megahertz) -> Result<search::ClockPoint> {
    return Error(ErrorCode::unavailable, "no clocks");
  };
  EXPECT_THAT(advise(failing, kTable, other_kernels()).error().to_string(), HasSubstr("no clocks"));
}

// Clocks at which another kernel was not measured are left out.
TEST(Advise, TakesTheClocksThatAllKernelsHave) {
  std::vector<MeasuredKernel> others = other_kernels();
  std::erase_if(others[3].points, [](const search::ClockPoint& point) { return point.clock == Megahertz(2000); });
  const auto advice = advise([](Megahertz clock) { return at(clock, 0.5); }, kTable, others, {.clocks = 1});
  EXPECT_EQ(advice->measured.front().clock, Megahertz(1700));
}

// Follows the advice on a kernel until it names no clock; returns what was measured.
std::vector<search::ClockPoint> followed(const search::AdvisedClock& advice, double core) {
  std::vector<search::ClockPoint> points;
  for (auto next = advice(points); next && *next; next = advice(points)) {
    points.push_back(at(**next, core));
    std::ranges::sort(points, {}, &search::ClockPoint::clock);
  }
  return points;
}

// Two clocks, at most two more, and one that checks the advice.
TEST(AdvisedClock, MeasuresFewClocksAndTheAdvisedOne) {
  const search::AdvisedClock advice = advised_clock(kTable, other_kernels()).value();
  for (const double core : {0.09, 0.33, 0.5, 0.62, 0.84}) {
    const std::vector<search::ClockPoint> points = followed(advice, core);
    ASSERT_GE(points.size(), 2u);
    EXPECT_LE(points.size(), 5u);
    EXPECT_EQ(points.back().clock, Megahertz(2000));
    const Joules least = std::ranges::min(points, {}, &search::ClockPoint::energy).energy;
    EXPECT_LE(least / at(best_clock(core), core).energy, 1.005) << core;
  }
}

TEST(AdvisedClock, NeedsOtherKernels) {
  std::vector<MeasuredKernel> few = other_kernels();
  few.resize(2);
  EXPECT_THAT(advised_clock(kTable, few).error().to_string(), HasSubstr("kernels of 3 groups"));
  EXPECT_THAT(advised_clock({Megahertz(700)}, other_kernels()).error().to_string(), HasSubstr("two clocks"));
}

}  // namespace
}  // namespace wattune::tune
