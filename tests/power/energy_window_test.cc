// Windows of an application on boards in virtual time with known energy.
#include "wattune/power/energy_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "power/virtual_board.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::HasSubstr;

VirtualBoard with_counter_and_power(Random& random) {
  VirtualSensor energy = counter(ms(100), random.uniform() * ms(100));
  VirtualSensor power = boxcar(ms(100), ms(100));
  energy.poll_phase = random.uniform() * ms(25);
  power.poll_phase = random.uniform() * ms(25);
  return VirtualBoard({{energy}, {power}});
}

// A second at 300 W on a board that idles at 50 W.
TEST(EnergyMeter, BoundHoldsForWhateverRan) {
  Random random(19);
  for (int i = 0; i < 200; ++i) {
    VirtualBoard board = with_counter_and_power(random);
    EnergyMeter meter(board);
    EnergyWindow window = meter.begin().value();
    const Nanoseconds begin = board.now();
    board.run({{ms(1000 + 100 * random.uniform()), Watts(300)}}, 1);
    const Joules truth = board.true_energy(begin, board.now());
    const WindowEnergy energy = window.end().value();
    EXPECT_LE(std::abs((energy.energy.value - truth).value()), energy.energy.uncertainty.value());
    EXPECT_LT(energy.energy.uncertainty / truth, 0.05);
    EXPECT_NEAR(energy.power.value.value(), 300, 10);
    EXPECT_EQ(energy.sensor, "virtual.energy");
    EXPECT_LT(std::abs(*energy.disagreement), 0.05);
  }
}

// 300 W for 2 s within 4 s; the rest is idle.
TEST(EnergyMeter, WindowsMayLieWithinEachOther) {
  Random random(20);
  VirtualBoard board = with_counter_and_power(random);
  EnergyMeter meter(board);
  EnergyWindow outer = meter.begin().value();
  const Nanoseconds begin = board.now();
  board.wait(ms(1000));
  EnergyWindow inner = meter.begin().value();
  board.run({{ms(2000), Watts(300)}}, 1);
  EXPECT_NEAR(inner.end().value().energy.value.value(), 600, 10);
  board.wait(ms(1000));
  const Joules truth = board.true_energy(begin, board.now());
  EXPECT_NEAR(outer.end().value().energy.value.value(), truth.value(), 10);
}

TEST(EnergyMeter, AWindowThatNobodyEndsClosesItself) {
  Random random(21);
  VirtualBoard board = with_counter_and_power(random);
  EnergyMeter meter(board);
  {
    EnergyWindow forgotten = meter.begin().value();
    EXPECT_TRUE(board.recording());
  }
  EXPECT_FALSE(board.recording());
}

TEST(EnergyMeter, WithoutACounterThePowerTells) {
  VirtualBoard board({{}, {boxcar(ms(20), ms(20))}});
  EnergyMeter meter(board);
  EnergyWindow window = meter.begin().value();
  board.run({{ms(1000), Watts(300)}}, 1);
  const WindowEnergy energy = window.end().value();
  EXPECT_NEAR(energy.energy.value.value(), 300, energy.energy.uncertainty.value());
  EXPECT_EQ(energy.sensor, "virtual.power");
  EXPECT_FALSE(energy.disagreement);
}

TEST(EnergyMeter, WithoutSensorsNoWindowOpens) {
  VirtualBoard board(VirtualSensors{});
  EnergyMeter meter(board);
  EXPECT_THAT(meter.begin().error().to_string(), HasSubstr("no sensor tells"));
  EXPECT_FALSE(board.recording());
}

}  // namespace
}  // namespace wattune::power
