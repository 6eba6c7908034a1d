// The clocks of a board, set through the stand-in for NVML (fakes/nvml), which this process loads.
#include "backend/cuda_support.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoard = "0000:3B:00.0";

class Clocks : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(kStandInsChosen); }
  void TearDown() override {
    for (const char* name : {"WATTUNE_FAKE_NVML_SET", "WATTUNE_FAKE_NVML_DEAF"}) unsetenv(name);
  }
  BoardSetting now() { return control->current().value(); }

  std::unique_ptr<ClockControl> control = open_clock_control(kBoard).value();
  const BoardSetting before = control->current().value();
};

const BoardSetting kSetting{.graphics = Megahertz(1200), .memory = Megahertz(1593), .power_limit = Watts(300)};

TEST_F(Clocks, AreSetAndReadBackAndRestored) {
  EXPECT_EQ(before, (BoardSetting{Megahertz(1755), Megahertz(2619), Watts(700)}));
  ASSERT_TRUE(control->set(kSetting));
  EXPECT_EQ(now(), kSetting);
  ASSERT_TRUE(control->restore());
  EXPECT_EQ(now(), before);
}

TEST_F(Clocks, TheEndOfTheControlRestoresThem) {
  ASSERT_TRUE(control->set(kSetting));
  control.reset();
  control = open_clock_control(kBoard).value();
  EXPECT_EQ(now(), before);
}

TEST_F(Clocks, WhatIsNoLongerNamedIsRestored) {
  ASSERT_TRUE(control->set(kSetting));
  ASSERT_TRUE(control->set({.graphics = Megahertz(1410)}));
  EXPECT_EQ(now(), (BoardSetting{Megahertz(1410), before.memory, before.power_limit}));
}

// The parameters of a run may set the limit many times; restore() brings back the value before the first time.
TEST_F(Clocks, TheLimitComesBackAsItWasBeforeTheFirst) {
  ASSERT_TRUE(control->set({.power_limit = Watts(300)}));
  ASSERT_TRUE(control->set({.power_limit = Watts(250)}));
  ASSERT_TRUE(control->restore());
  EXPECT_EQ(now().power_limit, Watts(700));
}

TEST_F(Clocks, ChoicesAreTheBoards) {
  const BoardChoices choices = control->choices().value();
  ASSERT_EQ(choices.clocks.size(), 2u);
  EXPECT_EQ(choices.clocks[1].memory, Megahertz(1593));
  EXPECT_EQ(choices.clocks[1].graphics.front(), Megahertz(1200));
  EXPECT_EQ(choices.clocks[1].graphics.back(), Megahertz(210));
  EXPECT_EQ(choices.power_limit->least, Watts(200));
}

// NVML itself would silently take the nearest clock.
TEST_F(Clocks, WhatTheBoardDoesNotHaveIsRefusedBeforeItIsSet) {
  const auto refusal = [&](const BoardSetting& setting) {
    const Result<void> set = control->set(setting);
    EXPECT_EQ(set.error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(now(), before);
    return set.error().to_string();
  };
  EXPECT_THAT(refusal({.graphics = Megahertz(1411)}), HasSubstr("no graphics clock of 1411 MHz"));
  EXPECT_THAT(refusal({.memory = Megahertz(2000)}), HasSubstr("no memory clock of 2000 MHz"));
  EXPECT_THAT(refusal({.graphics = Megahertz(1410), .memory = Megahertz(1593)}),
              HasSubstr("no graphics clock of 1410 MHz with 1593 MHz of memory"));
  EXPECT_THAT(refusal({.power_limit = Watts(800)}), HasSubstr("power limits from 200 to 700 W, not 800"));
}

TEST_F(Clocks, WithoutPermissionTheErrorSaysWhatAnAdministratorCanDo) {
  setenv("WATTUNE_FAKE_NVML_SET", "4", 1);
  const Error error = control->set({.graphics = Megahertz(1410)}).error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.to_string(), HasSubstr("setting the graphics clock: not permitted"));
  EXPECT_THAT(error.to_string(), HasSubstr("CAP_SYS_ADMIN"));
}

TEST_F(Clocks, ABoardThatDoesNotObeySaysWhatItRunsAt) {
  setenv("WATTUNE_FAKE_NVML_DEAF", "1", 1);
  ASSERT_TRUE(control->set({.graphics = Megahertz(1410)}));
  EXPECT_EQ(now().graphics, before.graphics);
}

TEST_F(Clocks, AnotherBoardIsNotThere) {
  EXPECT_THAT(open_clock_control("0000:01:00.0").error().to_string(), HasSubstr("it does not know the device"));
}

// The worker only names the board; its end, which a kernel may cause, touches no clock.
TEST_F(Clocks, OfADeviceInAWorkerOutliveTheWorker) {
  WorkerOptions options;
  options.executable = test::program("wattune-worker");
  auto device = open_device_in_worker("cuda:0", options).value();
  ClockControl* const clocks = device->clock_control().value();
  EXPECT_EQ(clocks->board(), kBoard);
  ASSERT_TRUE(clocks->set({.graphics = Megahertz(1410)}));
  ASSERT_TRUE(device->reset());
  EXPECT_EQ(device->clock_control().value(), clocks);
  EXPECT_EQ(now().graphics, Megahertz(1410));
  device.reset();
  EXPECT_EQ(now(), before);
}

TEST_F(Clocks, OfADeviceInThisProcessEndWithIt) {
  auto device = open_device("cuda:0").value();
  ASSERT_TRUE(device->clock_control().value()->set({.graphics = Megahertz(1410)}));
  EXPECT_EQ(now().graphics, Megahertz(1410));
  device.reset();
  EXPECT_EQ(now(), before);
}

}  // namespace
}  // namespace wattune::backend
