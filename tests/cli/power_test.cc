// `wattune power` on stand-ins for the driver and NVML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cli/cuda_stand_ins.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

const nlohmann::json* sensor_of(const nlohmann::json& board, const std::string& quantity) {
  for (const nlohmann::json& each : board["sensors"])
    if (each["quantity"] == quantity) return &each;
  return nullptr;
}

TEST(Power, ShowsTheSensorsOfADevicesBoard) {
  const TempFolder folder;
  const Finished text = run_with_stand_ins(folder, "power --device cuda:0");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("0000:3B:00.0"));
  EXPECT_THAT(text.out, HasSubstr("nvml.energy.counter"));
  EXPECT_THAT(text.out, HasSubstr("assumed"));
  EXPECT_THAT(text.out, HasSubstr("voltage: NVML does not tell it"));
}

TEST(Power, TellsProgramsTheSame) {
  const TempFolder folder;
  const auto json = run_with_stand_ins(folder, "power --device cuda:0 --json").json();
  ASSERT_EQ(json["boards"].size(), 1u);
  const nlohmann::json& board = json["boards"][0];
  EXPECT_EQ(board["pci_bus_id"], "0000:3B:00.0");
  const nlohmann::json* const power = sensor_of(board, "power");
  ASSERT_NE(power, nullptr);
  EXPECT_GT((*power)["value"].get<double>(), 0.0);
  EXPECT_EQ((*power)["measured"], false);
  EXPECT_EQ((*power)["error"], "");
  const nlohmann::json* const energy = sensor_of(board, "energy");
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ((*energy)["response"], "counter");
  EXPECT_FALSE(board["controls"]["clocks"].empty());
}

TEST(Power, SetsNothing) {
  const TempFolder folder;
  const std::string file = (folder.path() / "board").string();
  EXPECT_EQ(run_with_stand_ins(folder, "power --device cuda:0", "WATTUNE_FAKE_BOARD=" + file).status, 0);
  ASSERT_TRUE(folder.has("board"));
  fakes::FakeBoard board{};
  const std::string bytes = folder.read("board");
  std::memcpy(&board, bytes.data(), std::min(bytes.size(), sizeof board));
  EXPECT_EQ(board.sets, 0u);
  EXPECT_EQ(board.resets, 0u);
}

TEST(Power, WithoutNvmlSaysWhatIsMissing) {
  const TempFolder folder;
  const Finished none = run_with_stand_ins(folder, "power", "WATTUNE_LIBNVML=/none");
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, HasSubstr("NVML cannot be loaded"));
  const Finished named = run_with_stand_ins(folder, "power --device cuda:0", "WATTUNE_LIBNVML=/none");
  EXPECT_EQ(named.status, 3);
  EXPECT_THAT(named.err, HasSubstr("the sensors of cuda:0: NVML cannot be loaded"));
}

TEST(Power, OfADeviceWithoutAPlaceOnTheBusIsALine) {
  const TempFolder folder;
  const Finished host = run_with_stand_ins(folder, "power --device host:0");
  EXPECT_EQ(host.status, 3);
  EXPECT_THAT(host.err, HasSubstr("the sensors of host:0: a device that does not say where it is on the PCI bus"));
}

}  // namespace
}  // namespace wattune::cli_test
