// The power of a board with nothing to do, measured once for each setting of its clocks.
#include "tune/interface/idle_power.h"

#include <gtest/gtest.h>

#include "power/virtual_board.h"

namespace wattune::inline v0_1::tune {
namespace {

class Board : public power::VirtualBoard {
 public:
  Board() : VirtualBoard({{power::counter(power::ms(100))}, {}}, Watts(50)) {}
  std::optional<power::Measured<Watts>> context_idle() const override { return characterised; }

  std::optional<power::Measured<Watts>> characterised;
};

const backend::BoardSetting kSlow{.graphics = Megahertz(1200)};

// True if asking for the power took any time.
bool measures(IdlePower& idle, const std::optional<backend::BoardSetting>& setting, Board& board) {
  const Nanoseconds before = board.now();
  EXPECT_NEAR(idle.at(setting, board).value().value.value(), 50.0, 0.5);
  return board.now() > before;
}

TEST(IdlePower, IsMeasuredOnceForEachClock) {
  Board board;
  IdlePower idle;
  EXPECT_TRUE(measures(idle, std::nullopt, board));
  EXPECT_TRUE(measures(idle, kSlow, board));
  EXPECT_FALSE(measures(idle, std::nullopt, board));
  EXPECT_FALSE(measures(idle, kSlow, board));
  EXPECT_TRUE(measures(idle, backend::BoardSetting{.graphics = Megahertz(1200), .memory = Megahertz(810)}, board));
}

// A power limit does not change a board that does nothing.
TEST(IdlePower, DoesNotDependOnThePowerLimit) {
  Board board;
  IdlePower idle;
  EXPECT_TRUE(measures(idle, std::nullopt, board));
  EXPECT_FALSE(measures(idle, backend::BoardSetting{.power_limit = Watts(300)}, board));
}

TEST(IdlePower, OfACharacterisedBoardIsKnownAtItsOwnClocksOnly) {
  Board board;
  board.characterised = {{Watts(50), Watts()}};
  IdlePower idle;
  EXPECT_FALSE(measures(idle, std::nullopt, board));
  EXPECT_TRUE(measures(idle, kSlow, board));
}

TEST(IdlePower, FailsAsTheSensorsDo) {
  Board board;
  board.sensors().energy.clear();
  IdlePower idle;
  EXPECT_EQ(idle.at(std::nullopt, board).error().code(), ErrorCode::unavailable);
}

}  // namespace
}  // namespace wattune::tune
