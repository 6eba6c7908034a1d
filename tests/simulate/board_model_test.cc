#include "simulate/interface/board_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/full_load.h"

namespace wattune::inline v0_1::simulate {
namespace {

constexpr Celsius kFifty{50.0};

const BoardModel& model_of(const char* name) {
  const BoardModel* const model = find_board_model(name);
  EXPECT_NE(model, nullptr) << name;
  return *model;
}

// Returns Schoonhoven's estimate for a compute-bound kernel, P*(f) / f, whatever the limit does to the clock.
double energy_per_cycle(const BoardModel& model, Megahertz clock) {
  return power_at(model, {.graphics = clock}, kFull, kFifty).value() / clock.value();
}

Megahertz best_clock(const BoardModel& model) {
  return *std::ranges::min_element(model.clocks, {}, [&](Megahertz clock) { return energy_per_cycle(model, clock); });
}

struct Golden {
  const char* board;
  std::size_t clocks;
  double best_mhz;
  double ratio;         // energy at the highest clock over the least
  double throttles_at;  // 0 if nowhere
};

class BoardTable : public ::testing::TestWithParam<Golden> {
 protected:
  const BoardModel& model = model_of(GetParam().board);
};

TEST_P(BoardTable, HasItsClocksAndItsLeastEnergyWhereItShould) {
  EXPECT_EQ(model.clocks.size(), GetParam().clocks);
  EXPECT_EQ(best_clock(model), Megahertz(GetParam().best_mhz));
  const double ratio = energy_per_cycle(model, model.clocks.back()) / energy_per_cycle(model, best_clock(model));
  EXPECT_NEAR(ratio, GetParam().ratio, 0.01);  // printed with two digits
}

TEST_P(BoardTable, ThrottlesFromTheClockAtWhichItsLimitIsReached) {
  const auto first = std::ranges::find_if(model.clocks, [&](Megahertz clock) {
    return clock_under_load(model, {.graphics = clock}, kFull, kFifty) < clock;
  });
  EXPECT_EQ(first == model.clocks.end() ? 0.0 : first->value(), GetParam().throttles_at);
}

// The table of docs/simulate.md. Its estimates of P / f are those at 50 °C.
INSTANTIATE_TEST_SUITE_P(All, BoardTable,
                         ::testing::Values(Golden{"A100", 81, 975, 1.65, 1410}, Golden{"A4000", 127, 1290, 1.10, 1725},
                                           Golden{"A4000-recorded", 127, 1350, 1.12, 1755},
                                           Golden{"V100", 167, 1110, 1.21, 0},
                                           Golden{"TITAN-RTX", 121, 1155, 1.23, 1920}),
                         [](const auto& test) {
                           std::string name = test.param.board;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// 45 W + 0.0614 W/MHz * 1200 MHz * (1 + 1.285e-3 * 215)^2 = 165.0 W at 50 °C. At 20 K more the board leaks 0.06 * 45 W
// more.
TEST(BoardModel, PowerFollowsClockVoltageAndTemperature) {
  const BoardModel& a100 = model_of("A100");
  const Operation at_1200{.graphics = Megahertz(1200)};
  EXPECT_NEAR(power_at(a100, at_1200, kFull, kFifty).value(), 165.0, 0.1);
  EXPECT_NEAR(power_at(a100, at_1200, kFull, Celsius(70)).value(), 165.0 + 2.7, 0.1);
  EXPECT_NEAR(power_at(a100, at_1200, {.memory = 1.0}, kFifty).value(), 45.0 + 0.045 * 1215, 1e-9);
}

TEST(BoardModel, VoltageIsTheLowestUpToItsThreshold) {
  const BoardModel& a100 = model_of("A100");
  EXPECT_EQ(power_curve(a100).voltage(Megahertz(210)), 1.0);
  EXPECT_EQ(power_curve(a100).voltage(Megahertz(985)), 1.0);
  EXPECT_NEAR(power_curve(a100).voltage(Megahertz(1085)), 1.1285, 1e-12);
}

TEST(BoardModel, ALimitLowersTheClockByStepsOfTheTable) {
  const BoardModel& a100 = model_of("A100");
  const Megahertz held = clock_under_load(a100, {.limit = Watts(150)}, kFull, kFifty);
  EXPECT_TRUE(std::ranges::count(a100.clocks, held));
  EXPECT_LE(wanted_power(a100, {.graphics = held}, kFull, kFifty), Watts(150));
  EXPECT_GT(wanted_power(a100, {.graphics = held + Megahertz(15)}, kFull, kFifty), Watts(150));
}

// A limit that even the lowest clock exceeds is kept by other means.
TEST(BoardModel, PowerIsNeverAboveTheLimit) {
  const BoardModel& a100 = model_of("A100");
  const Activity extreme{.core = 20.0};
  EXPECT_EQ(clock_under_load(a100, {}, extreme, kFifty), Megahertz(210));
  EXPECT_EQ(power_at(a100, {.graphics = Megahertz(210)}, extreme, kFifty), Watts(250));
}

TEST(BoardModel, TakesTheNearestClockOfItsTable) {
  EXPECT_EQ(nearest_clock(model_of("V100").clocks, Megahertz(1372)), Megahertz(1372.5));
  EXPECT_EQ(nearest_clock(model_of("A100").clocks, Megahertz(5000)), Megahertz(1410));
}

// Guerreiro's table IV: energy cannot be optimised on these boards, because they have no sensor.
TEST(BoardModel, TheGtxBoardsOfPaper000HaveNoSensor) {
  EXPECT_TRUE(model_of("GTX680").sensors.empty());
  EXPECT_TRUE(model_of("GTX580").sensors.empty());
  EXPECT_EQ(model_of("K20c").sensors.front().traits.time_constant, nanoseconds_from_seconds(0.833));
  EXPECT_EQ(model_of("K40c").sensors.front().traits.time_constant, nanoseconds_from_seconds(0.79));
}

TEST(BoardModel, OneThatIsNotThereIsNotFound) { EXPECT_EQ(find_board_model("GTX 9999"), nullptr); }

}  // namespace
}  // namespace wattune::simulate
