// Characterisation of emulated boards (lab/emulation), whose sensors were written by other people than the code under
// test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/emulation/board_sensors.h"
#include "power/interface/characterise.h"

namespace wattune::inline v0_1::power {
namespace {

// A kernel that saturates the board, for as long as it is asked to.
class SimulatedLoad : public KnownLoad {
 public:
  SimulatedLoad(simulate::SimulatedBoard& board, Recorder& recorder) : board_(board), recorder_(recorder) {}

  Result<void> prepare() override {
    board_.hold_context(true);
    return {};
  }
  Result<void> run(Nanoseconds time) override {
    board_.set_load({.core = 1.0});
    recorder_.wait(time);
    board_.idle();
    return {};
  }

 private:
  simulate::SimulatedBoard& board_;
  Recorder& recorder_;
};

class SimulatedBoards : public ::testing::TestWithParam<const char*> {};

const SensorInfo* info_of(const Board& board, const std::string& name) {
  for (const auto& each : board.power)
    if (each->info().name == name) return &each->info();
  for (const auto& each : board.energy)
    if (each->info().name == name) return &each->info();
  return nullptr;
}

// Compares traits. The simulated recorder reads four times in a period, so a moment is known to an eighth of it. Each
// end of a window is known a few times better from some fifty readings. A reading that is seen late looks lagged by as
// much.
void expect_near(const SensorTraits& found, const SensorTraits& truth, const std::string& name) {
  const double grain_ms = to_ms(truth.period) / 8.0;
  const Nanoseconds window = truth.response == Response::counter ? truth.period : truth.window;
  EXPECT_EQ(found.response, truth.response) << name;
  EXPECT_NEAR(to_ms(found.period), to_ms(truth.period), 0.03 * to_ms(truth.period)) << name;
  EXPECT_NEAR(to_ms(found.window), to_ms(window), grain_ms + 0.05 * to_ms(window)) << name;
  EXPECT_NEAR(to_ms(found.lag), to_ms(truth.lag), 2.0 * grain_ms) << name;
  EXPECT_NEAR(to_ms(found.time_constant), to_ms(truth.time_constant), 0.05 * to_ms(truth.time_constant)) << name;
}

// Records traits for docs/results/energy-sensors.md.
void note(const SensorTraits& found, const std::string& name) {
  const auto property = [&](const char* what, double value) {
    ::testing::Test::RecordProperty(name + "." + what, std::to_string(value));
  };
  property("period_ms", to_ms(found.period));
  property("window_ms", to_ms(found.window));
  property("lag_ms", to_ms(found.lag));
  property("time_constant_ms", to_ms(found.time_constant));
  property("noise", found.noise);
}

TEST_P(SimulatedBoards, AreCharacterisedAsTheyAre) {
  simulate::SimulatedBoard simulated(*simulate::find_board_model(GetParam()));
  Board board = emulation::sensors_of(simulated);
  const auto recorder = emulation::make_recorder(simulated, board);
  SimulatedLoad load(simulated, *recorder);
  const Result<Characterisation> found = characterise(*recorder, &load);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_FALSE(found->sensors.empty());
  EXPECT_TRUE(found->problems.empty()) << found->problems.front();
  for (const auto& [name, traits] : found->sensors) {
    note(traits, name);
    expect_near(traits, info_of(board, name)->traits, name);
  }
  EXPECT_LT(*found->idle, found->context_idle->value);
}

std::vector<const char*> all_models() {
  std::vector<const char*> names;
  for (const simulate::BoardModel& each : simulate::board_models())
    if (!each.sensors.empty()) names.push_back(each.name.c_str());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedBoards, ::testing::ValuesIn(all_models()));

}  // namespace
}  // namespace wattune::power
