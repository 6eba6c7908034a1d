// Boards through a scripted NVML (scripted_nvml.h).
#include "power/nvml_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "power/nvml_traits.h"
#include "power/scripted_nvml.h"

namespace wattune::inline v0_1::power {
namespace {

using test::script;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NvmlBoardTest : public ::testing::Test {
 protected:
  Result<Board> open() { return open_nvml_board(api, nullptr, "0000:3B:00.0"); }
  static std::vector<std::string> names(const Board& board) {
    std::vector<std::string> names;
    for (const auto& each : board.energy) names.push_back(each->info().name);
    for (const auto& each : board.power) names.push_back(each->info().name);
    for (const auto& each : board.temperature) names.push_back(each->info().name);
    return names;
  }

  backend::nvml::NvmlApi api = test::scripted_nvml();
};

TEST_F(NvmlBoardTest, TellsWhatItIsAndWhatItsSensorsShow) {
  const Board board = open().value();
  EXPECT_EQ(board.uuid, "GPU-6f1a");
  EXPECT_EQ(board.name, "NVIDIA H200");
  EXPECT_EQ(board.driver, "550.54.15");
  EXPECT_EQ(board.pci_bus_id, "0000:3B:00.0");
  EXPECT_THAT(names(board),
              ElementsAre("nvml.energy.counter", "nvml.power.instant", "nvml.power.average", "nvml.temperature.gpu"));
  EXPECT_EQ(board.energy[0]->read()->value, Joules(5));
  EXPECT_EQ(board.power[0]->read()->value, Watts(310));
  EXPECT_EQ(board.power[1]->read()->value, Watts(290));
  EXPECT_EQ(board.conditions->read()->conditions, (backend::Conditions{Megahertz(1755), true}));
  EXPECT_THAT(board.missing, ElementsAre("voltage: NVML does not tell it"));
}

// GetPowerUsage is the mean of a second on most boards, so it is only asked if no field answers.
TEST_F(NvmlBoardTest, AsksForTheUsageWhereNoFieldAnswersAndSaysWhatItIs) {
  api.nvmlDeviceGetFieldValues = nullptr;
  const Board board = open().value();
  EXPECT_THAT(names(board), ElementsAre("nvml.energy.counter", "nvml.power.usage", "nvml.temperature.gpu"));
  EXPECT_EQ(board.power[0]->read()->value, Watts(300));
  EXPECT_THAT(board.missing, Contains(HasSubstr("nvml.power.instant: NVML: this version of NVML cannot do it")));
  EXPECT_THAT(board.missing, Contains(HasSubstr("be the mean of 1000 ms")));
}

TEST_F(NvmlBoardTest, AsksTheEnergyFieldWhereTheFunctionIsMissing) {
  api.nvmlDeviceGetTotalEnergyConsumption = nullptr;
  script().fields[{backend::nvml::NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0}] = 7'000;
  const Board board = open().value();
  ASSERT_EQ(board.energy.size(), 1u);
  EXPECT_EQ(board.energy[0]->info().name, "nvml.energy.field");
  EXPECT_EQ(board.energy[0]->read()->value, Joules(7));
}

TEST_F(NvmlBoardTest, NamesAModuleAsOne) {
  script().fields = {{{backend::nvml::NVML_FI_DEV_POWER_INSTANT, backend::nvml::NVML_POWER_SCOPE_MODULE}, 600'000}};
  const Board board = open().value();
  ASSERT_EQ(board.power.size(), 1u);
  EXPECT_EQ(board.power[0]->info().name, "nvml.power.instant.module");
  EXPECT_EQ(board.power[0]->info().scope, Scope::module);
  EXPECT_EQ(board.power[0]->read()->value, Watts(600));
}

TEST_F(NvmlBoardTest, IsNotOpenedForAnInstance) {
  script().divided = true;
  const Result<Board> divided = open();
  ASSERT_FALSE(divided);
  EXPECT_EQ(divided.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(divided.error().to_string(), HasSubstr("never given to an instance"));
  EXPECT_THAT(find_nvml_board(api, "MIG-6f1a").error().to_string(), HasSubstr("never given to an instance"));
}

TEST_F(NvmlBoardTest, IsFoundByItsUuid) {
  EXPECT_TRUE(find_nvml_board(api, "GPU-6f1a"));
  EXPECT_THAT(find_nvml_board(api, "GPU-0000").error().to_string(),
              HasSubstr("the board GPU-0000: NVML: it does not know the device"));
}

TEST_F(NvmlBoardTest, OpensWithoutAnyFunctionAndSaysWhatIsMissing) {
  const backend::nvml::NvmlApi nothing;
  const Board board = open_nvml_board(nothing, nullptr, "3b:00.0").value();
  EXPECT_EQ(board.pci_bus_id, "0000:3B:00.0");
  EXPECT_TRUE(names(board).empty());
  EXPECT_EQ(board.conditions, nullptr);
  EXPECT_EQ(board.missing.size(), 7u);  // energy, instant, average, usage, temperature, voltage, clock
}

TEST_F(NvmlBoardTest, ALostDeviceIsOneLineOfEachSensor) {
  Board board = open().value();
  script().code = backend::nvml::NVML_ERROR_GPU_IS_LOST;
  const auto lost = board.energy[0]->read();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(lost.error().to_string(), "nvml.energy.counter: NVML: the device is lost");
}

TEST_F(NvmlBoardTest, AVirtualBoardThatTellsNoWattsHasNoPowerSensor) {
  script().fields.clear();
  script().usage_mw = 0;
  const Board board = open().value();
  EXPECT_TRUE(board.power.empty());
  EXPECT_THAT(board.missing, Contains("nvml.power.usage: NVML: it tells 0 W"));
}

TEST_F(NvmlBoardTest, AllAreFoundAndThoseThatCannotBeOpenedAreSaid) {
  EXPECT_EQ(find_nvml_boards(api).boards.size(), 1u);
  script().divided = true;
  const BoardsFound found = find_nvml_boards(api);
  EXPECT_TRUE(found.boards.empty());
  EXPECT_THAT(found.problems, ElementsAre(testing::StartsWith("the board number 0 is divided")));
}

struct Windows {
  double instant_ms, average_ms, usage_ms;
  bool operator==(const Windows&) const = default;
};

Windows windows(unsigned architecture, const std::string& board, unsigned driver) {
  const auto of = [&](NvmlPower kind) { return to_ms(assumed_traits({architecture, board, driver}, kind).window); };
  return {of(NvmlPower::instant), of(NvmlPower::average), of(NvmlPower::usage)};
}

// The table of the 70-board study.
TEST(NvmlTraits, AreThoseOfItsGenerationAndDriver) {
  EXPECT_EQ(windows(9, "NVIDIA H100 PCIe", 550), (Windows{25, 1000, 1000}));
  EXPECT_EQ(windows(7, "NVIDIA A100-SXM4-80GB", 550), (Windows{25, 1000, 25}));
  EXPECT_EQ(windows(7, "NVIDIA RTX A3000", 550), (Windows{100, 1000, 1000}));
  EXPECT_EQ(windows(8, "NVIDIA GeForce RTX 4090", 530), (Windows{100, 1000, 100}));
  EXPECT_EQ(windows(6, "NVIDIA TITAN RTX", 550), (Windows{100, 1000, 100}));
  EXPECT_EQ(windows(5, "Tesla V100-PCIE-16GB", 550), (Windows{10, 1000, 10}));
  EXPECT_EQ(to_ms(assumed_counter_traits({5, "", 550}).period), 20);
  EXPECT_EQ(to_ms(assumed_counter_traits({9, "", 550}).period), 100);
}

TEST(NvmlTraits, OfKeplerAreThoseOfALag) {
  const SensorTraits traits = assumed_traits({2, "Tesla K20c", 470}, NvmlPower::usage);
  EXPECT_EQ(traits.response, Response::lag);
  EXPECT_EQ(to_ms(traits.time_constant), 800);
  EXPECT_FALSE(traits.measured);
}

}  // namespace
}  // namespace wattune::power
