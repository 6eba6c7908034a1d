#include "simulate/interface/simulated_board.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "simulate/board_state.h"
#include "simulate/full_load.h"

namespace wattune::inline v0_1::simulate {
namespace {

BoardModel a100() { return *find_board_model("A100"); }

// Returns the board without latency of locks.
BoardModel obedient(BoardModel model) {
  model.least_lock_latency = model.most_lock_latency = Nanoseconds(0);
  return model;
}

TEST(SimulatedBoard, NothingPassesUnlessItIsTold) {
  SimulatedBoard board(a100());
  EXPECT_EQ(board.now(), Nanoseconds(0));
  board.pass(kSecond);
  EXPECT_DOUBLE_EQ(to_seconds(board.now()), 1.0);
}

// Power at 50 °C is 32 W without a context and 45 W with one.
TEST(SimulatedBoard, SleepsDeeplyUntilSomethingHoldsAContext) {
  SimulatedBoard board(a100());
  EXPECT_NEAR(board.power().value(), 32.0 * (1 + 0.003 * (board.temperature().value() - 50)), 1e-9);
  EXPECT_EQ(board.clock(), Megahertz(210));
  board.hold_context(true);
  EXPECT_NEAR(board.power().value(), 45.0 * (1 + 0.003 * (board.temperature().value() - 50)), 1e-9);
  EXPECT_EQ(board.clock(), Megahertz(1410));
}

TEST(SimulatedBoard, AnIdleBoardKeepsItsTemperature) {
  SimulatedBoard board(a100());
  const Celsius before = board.temperature();
  board.pass(kSecond * 100);
  EXPECT_NEAR(board.temperature().value(), before.value(), 1e-6);
}

// At its limit of 250 W it settles at 80 °C; in 60 s it comes 1 - 1/e of the way.
TEST(SimulatedBoard, WarmsAsAnRcCircuit) {
  SimulatedBoard board(a100());
  const double before = board.temperature().value();
  board.set_load({.core = 1.5});
  board.set_limit(Watts(250));
  board.pass(kSecond * 60);
  const double share = (board.temperature().value() - before) / (80.0 - before);
  EXPECT_NEAR(share, 1.0 - std::exp(-1.0), 0.03);  // steps of the clock keep it a little below its limit
  board.pass(kSecond * 600);
  EXPECT_LE(board.temperature().value(), 80.0);
  EXPECT_GT(board.temperature().value(), 77.0);
}

TEST(SimulatedBoard, EnergyIsTheIntegralOfPower) {
  SimulatedBoard board(a100());
  board.set_load(kFull);
  double sum = 0.0;
  const double before = board.energy().value();
  for (int i = 0; i < 10'000; ++i) {
    const double first = board.power().value();
    board.pass(Nanoseconds(1e6));
    sum += (first + board.power().value()) / 2 * 1e-3;
  }
  EXPECT_NEAR(board.energy().value() - before, sum, 1e-4 * sum);
}

// 1 ms that no clock changes and 2e6 cycles. The clock nearest to 1000 MHz is 1005: 1 + 2 / 1.005 ms.
TEST(SimulatedBoard, AKernelTakesItsFixedTimeAndItsCycles) {
  SimulatedBoard board(obedient(a100()));
  board.lock_clock(Megahertz(1000));
  const Kernel kernel{.fixed = Nanoseconds(1e6), .cycles = 2e6, .phases = {{1.0, {.core = 0.5}}}};
  const Launches launches = board.launch(kernel, 100);
  EXPECT_NEAR(to_ms(launches.end - launches.begin), 100 * (1.0 + 2.0 / 1.005), 1e-6);
  EXPECT_FALSE(board.at_work());
}

// Half of the memory's clock doubles the time of the memory.
TEST(SimulatedBoard, TheMemoryClockStretchesTheFixedTime) {
  BoardModel model = obedient(a100());
  model.memory_clocks = {Megahertz(1200), Megahertz(600)};
  SimulatedBoard board(model);
  board.lock_memory(Megahertz(600));
  const Launches launches = board.launch({.fixed = Nanoseconds(1e6), .phases = {{1.0, {.memory = 1.0}}}});
  EXPECT_NEAR(to_ms(launches.end - launches.begin), 2.0, 1e-9);
}

TEST(SimulatedBoard, ALimitSlowsAKernelAndSaysSo) {
  SimulatedBoard board(obedient(a100()));
  const Kernel kernel{.cycles = 1.41e6, .phases = {{1.0, kFull}}};
  board.set_limit(Watts(150));
  const Launches held = board.launch(kernel, 100);
  EXPECT_GT(to_ms(held.end - held.begin), 100 * 1.2);
  EXPECT_LT((held.energy / (held.end - held.begin)).value(), 150.0);
  board.set_load(kFull);
  EXPECT_TRUE(board.capped());
  board.set_limit(Watts(250));
  board.set_load({.core = 0.5});
  EXPECT_FALSE(board.capped());
}

// 100 ms at full activity and 100 ms without any: half of what a flat kernel draws above idle.
TEST(SimulatedBoard, PhasesOfAKernelHaveTheirOwnPower) {
  SimulatedBoard two(obedient(a100()));
  SimulatedBoard flat(obedient(a100()));
  for (SimulatedBoard* const board : {&two, &flat}) board->lock_clock(Megahertz(975));
  const Launches phased = two.launch({.cycles = 195e6, .phases = {{0.5, kFull}, {0.5, {}}}}, 10);
  const Launches whole = flat.launch({.cycles = 195e6, .phases = {{1.0, {.core = 0.5}}}}, 10);
  EXPECT_NEAR(to_ms(phased.end - phased.begin), 2000.0, 1e-6);
  EXPECT_NEAR(phased.energy.value(), whole.energy.value(), 0.01);
}

TEST(SimulatedBoard, ObeysALockAfterItsLatency) {
  SimulatedBoard board(a100());
  board.set_load(kFull);
  board.lock_clock(Megahertz(975));
  board.pass(Nanoseconds(9e6));
  EXPECT_GT(board.clock(), Megahertz(1300));
  board.pass(Nanoseconds(300e6));
  EXPECT_EQ(board.clock(), Megahertz(975));
}

// The clock changes in the middle of a kernel, which goes on at the new one. In 50 ms at 1410 MHz it does 70.5e6 of
// 100e6 cycles, and the rest takes 29.5e6 / 705 MHz.
TEST(SimulatedBoard, AClockThatChangesChangesTheRestOfAKernel) {
  BoardModel model = a100();
  model.least_lock_latency = model.most_lock_latency = Nanoseconds(50e6);
  SimulatedBoard board(model);
  board.lock_clock(Megahertz(705));
  const Launches launches = board.launch({.cycles = 100e6, .phases = {{1.0, {.core = 0.1}}}});
  EXPECT_NEAR(to_ms(launches.end - launches.begin), 50.0 + 29.5e6 / 705e3, 1e-6);
}

TEST(SimulatedBoard, EqualSeedsGiveEqualBoards) {
  const auto shown = [](std::uint64_t seed) {
    SimulatedBoard board(a100(), seed);
    board.launch({.cycles = 3e6, .phases = {{1.0, kFull}}}, 1000);
    return board.shown(0);
  };
  EXPECT_EQ(shown(1), shown(1));
  EXPECT_NE(shown(1), shown(2));
}

// Another process sees the same state.
TEST(SimulatedBoard, GoesOnWithAStateThatOthersShare) {
  const auto state = std::make_unique<BoardState>();
  SimulatedBoard(a100(), *state, 7).launch({.cycles = 1e6, .phases = {{1.0, kFull}}}, 1000);
  const SimulatedBoard other(a100(), *state, 7);
  SimulatedBoard own(a100(), 7);
  own.launch({.cycles = 1e6, .phases = {{1.0, kFull}}}, 1000);
  EXPECT_EQ(other.now(), own.now());
  EXPECT_EQ(other.energy(), own.energy());
  EXPECT_EQ(other.shown(0), own.shown(0));
}

}  // namespace
}  // namespace wattune::simulate
