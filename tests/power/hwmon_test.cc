#include "power/hwmon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace wattune::inline v0_1::power {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

class HwmonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(files);
    write(device / "vendor", "0x1002");
    write(device / "device", "0x740f");
    write(device / "unique_id", "8f1c2b");
    write(files / "power1_average", "210000000");
    write(files / "temp1_input", "45000");
    write(files / "in0_input", "881");
    write(files / "freq1_input", "1700000000");
  }
  void TearDown() override { fs::remove_all(root); }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text << "\n"; }
  Result<Board> open(const std::string& name = "0000:C3:00.0") const { return Hwmon(root).open(name); }

  const fs::path root = fs::path(::testing::TempDir()) / ("hwmon" + std::to_string(getpid()));
  const fs::path device = root / "bus" / "pci" / "devices" / "0000:c3:00.0";
  const fs::path files = device / "hwmon" / "hwmon5";
};

TEST_F(HwmonTest, TellsPowerTemperatureVoltageAndClock) {
  const Board board = open().value();
  EXPECT_EQ(board.uuid, "8f1c2b");
  EXPECT_EQ(board.pci_bus_id, "0000:C3:00.0");
  EXPECT_EQ(board.power.at(0)->read()->value, Watts(210));
  EXPECT_EQ(board.temperature.at(0)->read()->value, Celsius(45));
  EXPECT_EQ(board.voltage.at(0)->read()->value, Volts(0.881));
  EXPECT_EQ(board.conditions->read()->conditions.clock, Megahertz(1700));
  EXPECT_THAT(board.missing, Contains(HasSubstr("not been tried on a real board")));
}

TEST_F(HwmonTest, TakesTheInputWhereThereIsNoAverage) {
  fs::rename(files / "power1_average", files / "power1_input");
  const Board board = open().value();
  EXPECT_EQ(board.power.at(0)->info().name, "hwmon.power.input");
  EXPECT_EQ(board.power.at(0)->read()->value, Watts(210));
}

TEST_F(HwmonTest, IsFoundByItsOwnId) {
  EXPECT_TRUE(open("8f1c2b"));
  EXPECT_EQ(Hwmon(root).find().boards.size(), 1u);
  EXPECT_EQ(open("0000:3B:00.0").error().code(), ErrorCode::unavailable);
}

TEST_F(HwmonTest, AMissingOrUnreadableFileIsOneLine) {
  fs::remove(files / "in0_input");
  write(files / "temp1_input", "warm");
  const Board board = open().value();
  EXPECT_TRUE(board.voltage.empty());
  EXPECT_THAT(board.missing, Contains(HasSubstr("in0_input: No such file or directory")));
  EXPECT_THAT(board.missing, Contains(HasSubstr("temp1_input holds no number: `warm`")));
}

TEST_F(HwmonTest, AFileThatMayNotBeReadIsOneLine) {
  fs::permissions(files / "power1_average", fs::perms::none);
  if (access((files / "power1_average").c_str(), R_OK) == 0) GTEST_SKIP() << "root may read any file";
  const Board board = open().value();
  EXPECT_THAT(board.missing, Contains(HasSubstr("power1_average: Permission denied")));
}

TEST_F(HwmonTest, LeavesOtherVendorsBoardsAlone) {
  write(device / "vendor", "0x10de");
  EXPECT_TRUE(Hwmon(root).find().boards.empty());
}

TEST_F(HwmonTest, ABoardThatGoesAwaySaysSo) {
  const Board board = open().value();
  fs::remove(files / "power1_average");
  EXPECT_THAT(board.power.at(0)->read().error().to_string(), HasSubstr("hwmon.power.average: cannot read"));
}

}  // namespace
}  // namespace wattune::power
