#include "lab/emulation/board_sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulate/full_load.h"

namespace wattune::inline v0_1::simulate {
namespace {

using power::Recording;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Nanoseconds ms(double count) { return nanoseconds_from_ms(count); }

// Returns a board without noise and heat: its power is 45 W idle and 45 + 0.0614 * 975 W at work.
BoardModel plain(const char* name) {
  BoardModel model = *find_board_model(name);
  for (SensorModel& sensor : model.sensors) sensor.traits.noise = 0.0;
  model.least_lock_latency = model.most_lock_latency = Nanoseconds(0);
  model.at_limit = model.ambient = Celsius(50);
  model.deep_idle = model.idle;
  return model;
}

struct Rig {
  explicit Rig(BoardModel model, std::uint64_t seed = 1) : board(std::move(model), seed) {}

  SimulatedBoard board;
  power::Board sensors = emulation::sensors_of(board);
  std::unique_ptr<power::Recorder> recorder = emulation::make_recorder(board, sensors);
};

constexpr double kIdle = 45.0;
constexpr double kAtWork = 45.0 + 0.0614 * 975;

// From a step of the load to the first reading that has seen all of it pass its window, its lag and the rest of a
// period.
TEST(SimulatedSensors, ABoxcarShowsTheMeanOfItsWindowWhenItPublishes) {
  Rig rig(plain("A100"));
  rig.board.lock_clock(Megahertz(975));
  ASSERT_TRUE(rig.recorder->start());
  rig.board.pass(kSecond);
  const Nanoseconds step = rig.board.now();
  rig.board.set_load(kFull);
  rig.board.pass(kSecond);
  const Recording recording = rig.recorder->stop().value();
  const auto& changes = recording.power.front().changes;
  EXPECT_NEAR(changes.front().value.value(), kIdle, 1e-9);
  const auto all_of_it =
      std::ranges::find_if(changes, [](const auto& change) { return change.value.value() > kAtWork - 1e-6; });
  ASSERT_NE(all_of_it, changes.end());
  EXPECT_NEAR(changes.back().value.value(), kAtWork, 1e-6);
  EXPECT_LE(all_of_it->at - step, ms(25 + 10 + 100 + 25));
  for (const auto& change : changes) EXPECT_LE(change.at - change.since, ms(25.001));
}

// The sensor sees 25 of every 100 ms: a kernel of 100 ms with two phases looks like one of them, depending on the seed.
TEST(SimulatedSensors, AWindowThatIsAQuarterOfThePeriodAliases) {
  double least = 1e9;
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rig rig(plain("A100"), seed);
    rig.board.lock_clock(Megahertz(1000));  // 1005
    rig.board.launch({.cycles = 100.5e6, .phases = {{0.5, kFull}, {0.5, {}}}}, 20);
    least = std::min(least, rig.board.shown(0));
    most = std::max(most, rig.board.shown(0));
  }
  EXPECT_NEAR(least, kIdle, 1.0);
  EXPECT_NEAR(most, kIdle + 0.0614 * 1005 * std::pow(1 + 1.285e-3 * 20, 2), 1.0);
}

// Between two of its publications it counts exactly the energy of as much time, the lag before them.
TEST(SimulatedSensors, ACounterCountsAll) {
  Rig rig(plain("A100"));
  rig.board.lock_clock(Megahertz(975));
  rig.board.set_load(kFull);
  rig.board.pass(kSecond);
  const double before = rig.board.shown(2);
  const Nanoseconds since = rig.board.shown_since(2);
  rig.board.pass(kSecond * 5);
  const Nanoseconds time = rig.board.shown_since(2) - since;
  EXPECT_NEAR(rig.board.shown(2) - before, (Watts(kAtWork) * time).value(), 1e-6);
}

// A counter that only adds up windows ignores a load in the other three quarters.
TEST(SimulatedSensors, ACounterOfWindowsNeverSeesTheRest) {
  BoardModel model = plain("A100");
  SensorModel& counter = model.sensors[2];
  counter.counts_windows_only = true;
  counter.traits.window = ms(25);
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedBoard board(model, seed);
    board.lock_clock(Megahertz(975));
    const double before = board.shown(2);
    const Launches launches = board.launch({.cycles = 97.5e6, .phases = {{0.5, kFull}, {0.5, {}}}}, 100);
    errors.push_back((board.shown(2) - before) / launches.energy.value() - 1.0);
  }
  // Both phases draw 74.9 W on average, one of them 45 W or 104.9 W: -40 % to +40 %.
  EXPECT_LT(*std::ranges::min_element(errors), -0.35);
  EXPECT_GT(*std::ranges::max_element(errors), 0.35);
}

// After one time constant it has come 1 - 1/e of the way (Guerreiro's capacitance, 0.833 s).
TEST(SimulatedSensors, ALagFollowsWithItsTimeConstant) {
  Rig rig(plain("K20c"));
  const double before = rig.board.power().value();
  rig.board.set_load(kFull);
  rig.board.pass(kSecond * 0.833);
  const double share = (rig.board.shown(0) - before) / (rig.board.power().value() - before);
  EXPECT_NEAR(share, 1.0 - std::exp(-1.0), 0.01);  // 15 ms of 833
}

// Equation 6 in its integral form: E = sum of readings + C * (last - first). For a kernel of 2 s, seen until its end,
// the bare sum is 30 % short and the corrected one is right.
TEST(SimulatedSensors, TheIntegralFormOfEquation6FindsTheEnergyBehindALag) {
  Rig rig(plain("K20c"));
  rig.board.hold_context(true);
  ASSERT_TRUE(rig.recorder->start());
  const double begin_energy = rig.board.energy().value();
  rig.board.set_load(kFull);
  rig.board.pass(kSecond * 2);
  const double energy = rig.board.energy().value() - begin_energy;
  const Recording recording = rig.recorder->stop().value();
  const auto& changes = recording.power.front().changes;
  double sum = 0.0;
  for (std::size_t i = 1; i < changes.size(); ++i)
    sum += to_seconds(changes[i].at - changes[i - 1].at) * (changes[i].value + changes[i - 1].value).value() / 2;
  const double corrected = sum + 0.833 * (changes.back().value - changes.front().value).value();
  EXPECT_LT(sum / energy, 0.75);
  EXPECT_NEAR(corrected / energy, 1.0, 0.012);  // the last reading is up to 15 + 4 ms old: 1 % of 2 s
}

TEST(SimulatedSensors, GainAndOffsetAreTheBoards) {
  BoardModel model = plain("V100");
  model.gain = 0.95;
  model.offset = Watts(3);
  Rig rig(model);
  rig.board.hold_context(true);
  rig.board.pass(kSecond);
  EXPECT_NEAR(rig.board.shown(0), 0.95 * 35 + 3, 1e-9);
  const double joules = rig.board.shown(2);
  const Nanoseconds since = rig.board.shown_since(2);
  rig.board.pass(kSecond * 10);
  EXPECT_NEAR(rig.board.shown(2) - joules, (Watts(0.95 * 35 + 3) * (rig.board.shown_since(2) - since)).value(), 1e-6);
}

// The noise is 0.2 % of the power: that of 200 publications is between 0.15 and 0.25 %.
TEST(SimulatedSensors, NoiseHasItsStandardDeviation) {
  BoardModel model = plain("A100");
  model.sensors[0].traits.noise = 0.002;
  SimulatedBoard board(model);
  board.hold_context(true);
  double squares = 0.0;
  for (int i = 0; i < 200; ++i) {
    board.pass(ms(100));
    squares += std::pow(board.shown(0) / kIdle - 1.0, 2);
  }
  EXPECT_GT(std::sqrt(squares / 200), 0.0015);
  EXPECT_LT(std::sqrt(squares / 200), 0.0025);
}

TEST(SimulatedSensors, SayTheirTraits) {
  Rig rig(*find_board_model("H100"));
  ASSERT_THAT(rig.sensors.power, SizeIs(3));
  EXPECT_EQ(rig.sensors.power[0]->info().name, "simulated.power.instant");
  EXPECT_EQ(rig.sensors.power[0]->info().traits.window, ms(25));
  EXPECT_EQ(rig.sensors.power[1]->info().traits.window, ms(1000));
  EXPECT_EQ(rig.sensors.energy.front()->info().traits.response, power::Response::counter);
  EXPECT_EQ(rig.sensors.temperature.front()->read().value().at, rig.board.now());
}

// A changing load of ten seconds is read as often as each sensor's period says, whichever call lets time pass.
TEST(SimulatedRecorder, ReadsWhileKernelsRun) {
  Rig rig(*find_board_model("V100"));
  ASSERT_TRUE(rig.recorder->start());
  rig.board.launch({.cycles = 3.5 * 1380e3, .phases = {{0.5, kFull}, {0.5, {}}}}, 2857);
  const Recording recording = rig.recorder->stop().value();
  EXPECT_NEAR(to_seconds(recording.end - recording.begin), 10.0, 0.01);
  EXPECT_NEAR(static_cast<double>(recording.energy.front().changes.size()), 10.0 / 0.02, 2.0);
  for (const auto& change : recording.energy.front().changes) EXPECT_LE(change.at - change.since, ms(5.001));
  EXPECT_NEAR(static_cast<double>(recording.conditions.size()), 10.0 / 0.025, 2.0);
  EXPECT_EQ(recording.conditions.back().value.clock, Megahertz(1380));
}

TEST(SimulatedRecorder, WaitingLetsTimePass) {
  Rig rig(plain("A100"));
  rig.recorder->wait(kSecond);
  EXPECT_EQ(rig.recorder->now(), rig.board.now());
  EXPECT_DOUBLE_EQ(to_seconds(rig.board.now()), 1.0);
}

TEST(SimulatedRecorder, GoesOnWhileItIsAsked) {
  Rig rig(plain("A100"));
  ASSERT_TRUE(rig.recorder->start());
  rig.recorder->wait(kSecond);
  const std::size_t so_far = rig.recorder->so_far().value().conditions.size();
  rig.recorder->wait(kSecond);
  EXPECT_GT(rig.recorder->stop().value().conditions.size(), so_far);
}

TEST(SimulatedRecorder, NeedsASensor) {
  Rig rig(*find_board_model("GTX680"));
  EXPECT_EQ(rig.recorder->start().error().code(), ErrorCode::unavailable);
  EXPECT_THAT(rig.sensors.missing, SizeIs(1));
}

TEST(SimulatedFaults, ALostBoardFailsEachSensorOnce) {
  Rig rig(plain("A100"));
  ASSERT_TRUE(rig.recorder->start());
  rig.board.pass(kSecond);
  rig.board.lose();
  rig.board.pass(kSecond);
  const Recording recording = rig.recorder->stop().value();
  EXPECT_THAT(recording.failures, SizeIs(5));  // two of power, energy, temperature, voltage
  EXPECT_THAT(recording.failures.front(), HasSubstr("fell off the bus"));
  EXPECT_EQ(rig.sensors.energy.front()->read().error().code(), ErrorCode::device_lost);
}

TEST(SimulatedFaults, AFrozenCounterStandsStillAndAResetOneBeginsAnew) {
  Rig rig(plain("A100"));
  rig.board.hold_context(true);
  rig.board.pass(kSecond);
  rig.board.reset_counters();
  EXPECT_EQ(rig.board.shown(2), 0.0);
  rig.board.pass(kSecond);
  EXPECT_NEAR(rig.board.shown(2), kIdle, 5.0);
  rig.board.freeze(2);
  const double frozen = rig.board.shown(2);
  rig.board.pass(kSecond);
  EXPECT_EQ(rig.board.shown(2), frozen);
}

}  // namespace
}  // namespace wattune::simulate
