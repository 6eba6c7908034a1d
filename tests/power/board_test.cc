// Boards as programs open them, through the stand-in for NVML (fakes/cuda/fake_libnvml.cc), which this process loads.
#include "wattune/power/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fakes/cuda/fake_board.h"
#include "programs.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoard = "0000:3B:00.0";

// Chooses the stand-in before the first call loads a library, which the process keeps. Both see the board in a file.
const bool kStandInChosen = [] {
  static const std::string file = ::testing::TempDir() + "/board" + std::to_string(getpid());
  setenv("WATTUNE_FAKE_BOARD", file.c_str(), 1);
  setenv("XDG_CACHE_HOME", ::testing::TempDir().c_str(), 1);
  return setenv("WATTUNE_LIBNVML", wattune::test::program("wattune-fake-libnvml.so").c_str(), 1) == 0;
}();

TEST(OpenBoard, FindsItByItsPlace) {
  ASSERT_TRUE(kStandInChosen);
  const Board board = open_board(kBoard).value();
  EXPECT_EQ(board.pci_bus_id, kBoard);
  ASSERT_FALSE(board.energy.empty());
  ASSERT_FALSE(board.power.empty());
  EXPECT_TRUE(board.power[0]->read());
}

TEST(OpenBoard, OfADeviceWithoutAPlaceSaysWhyThereIsNone) {
  EXPECT_THAT(open_board("").error().to_string(), HasSubstr("where it is on the PCI bus"));
  EXPECT_EQ(open_board("0000:01:00.0").error().code(), ErrorCode::unavailable);
}

TEST(OpenBoard, ReadingSetsNothing) {
  Board board = open_board(kBoard).value();
  const auto recorder = make_recorder(board);
  ASSERT_TRUE(recorder->start());
  recorder->wait(nanoseconds_from_ms(30));
  const Recording recording = recorder->stop().value();
  EXPECT_FALSE(recording.energy.empty());
  EXPECT_FALSE(recording.power.empty());
  EXPECT_EQ(fakes::fake_board().sets, 0u);
  EXPECT_EQ(fakes::fake_board().resets, 0u);
}

}  // namespace
}  // namespace wattune::power
