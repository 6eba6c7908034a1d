#include "simulate/interface/board_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wattune::inline v0_1::simulate {
namespace {

using backend::BoardSetting;
using testing::HasSubstr;

// A time longer than any board takes to obey.
constexpr Nanoseconds kObeyed = nanoseconds_from_seconds(1);

SimulatedBoard board_named(const char* name) { return SimulatedBoard(*find_board_model(name)); }

BoardSetting after_a_second(SimulatedBoard& board, BoardClocks& clocks) {
  board.pass(kObeyed);
  return clocks.current().value();
}

// The table says that an A4000 takes 100 to 140 W. Nothing of a refused setting is set, not even its clock.
TEST(SimulatedBoardClocks, ALimitThatTheBoardDoesNotTakeIsRefused) {
  SimulatedBoard board = board_named("A4000");
  BoardClocks clocks(board);
  const BoardSetting before = after_a_second(board, clocks);
  for (const double watts : {99.0, 141.0}) {
    const auto refused = clocks.set({.graphics = Megahertz(1005), .power_limit = Watts(watts)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
    EXPECT_THAT(refused.error().to_string(), HasSubstr("takes power limits from 100 to 140 W"));
    EXPECT_EQ(after_a_second(board, clocks), before);
  }
  EXPECT_TRUE(clocks.set({.power_limit = Watts(100)}));
  EXPECT_EQ(board.limit(), Watts(100));
}

TEST(SimulatedBoardClocks, AMemoryClockThatCannotBeLockedIsUnavailable) {
  SimulatedBoard board = board_named("TITAN-RTX");
  BoardClocks clocks(board);
  const auto refused = clocks.set({.memory = Megahertz(405)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("memory clock of this board cannot be set: `TITAN-RTX`"));
  EXPECT_EQ(board.memory_clock(), Megahertz(7001));
  EXPECT_TRUE(clocks.set({.graphics = Megahertz(1005)}));
}

TEST(SimulatedBoardClocks, AClockThatIsNotInTheTableIsRefused) {
  SimulatedBoard board = board_named("A4000");
  BoardClocks clocks(board);
  EXPECT_EQ(clocks.set({.graphics = Megahertz(1001)}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(clocks.set({.memory = Megahertz(7000)}).error().code(), ErrorCode::invalid_argument);
}

// The load is light, because an idle board without a lock has its lowest clock.
TEST(SimulatedBoardClocks, WhatIsEmptyIsRestoredAndTheRestStaysSet) {
  SimulatedBoard board = board_named("A4000");
  board.set_load({.core = 0.1});
  BoardClocks clocks(board);
  ASSERT_TRUE(clocks.set({.graphics = Megahertz(1005), .memory = Megahertz(5001), .power_limit = Watts(120)}));
  EXPECT_EQ(after_a_second(board, clocks), (BoardSetting{Megahertz(1005), Megahertz(5001), Watts(120)}));
  ASSERT_TRUE(clocks.set({.memory = Megahertz(5001)}));
  EXPECT_EQ(after_a_second(board, clocks), (BoardSetting{Megahertz(2100), Megahertz(5001), Watts(140)}));
}

// Before that, somebody else had limited the board to 110 W and locked it.
TEST(SimulatedBoardClocks, TheEndGivesBackWhatWasSetAndNothingElse) {
  SimulatedBoard board = board_named("A4000");
  board.set_limit(Watts(110));
  board.lock_clock(Megahertz(1200));
  {
    BoardClocks clocks(board);
    ASSERT_TRUE(clocks.set({.memory = Megahertz(5001)}));
    ASSERT_TRUE(clocks.set({.memory = Megahertz(5001), .power_limit = Watts(120)}));
  }
  board.pass(kObeyed);
  EXPECT_EQ(board.limit(), Watts(110));
  EXPECT_EQ(board.clock(), Megahertz(1200));
  EXPECT_EQ(board.memory_clock(), Megahertz(7001));
}

}  // namespace
}  // namespace wattune::simulate
