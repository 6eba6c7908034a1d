// `wattune power` on stand-ins for the driver and NVML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/cuda_stand_ins.h"

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

TEST(Power, ListsAllBoardsWithWhatTheyAreAssumedToBe) {
  const TempFolder folder;
  const auto json = run_with_stand_ins(folder, "power --json", "WATTUNE_FAKE_NVML_PROFILE=H100").json();
  ASSERT_FALSE(json["boards"].empty());
  const nlohmann::json& board = json["boards"][0];
  EXPECT_EQ(board["pci_bus_id"], "0000:3B:00.0");
  EXPECT_FALSE(board["uuid"].get<std::string>().empty());
  const nlohmann::json* const power = sensor_of(board, "power");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ((*power)["name"], "nvml.power.instant");
  EXPECT_EQ((*power)["period_ms"], 100);
  EXPECT_EQ((*power)["window_ms"], 25);
  EXPECT_TRUE(board["idle_w"].is_null());
  EXPECT_EQ(board["controls"]["power_limits_w"], nlohmann::json({200, 700}));
}

// Reading a board calls no function that sets it, whether it may be set or not.
TEST(Power, CallsNothingThatSets) {
  const TempFolder folder;
  const std::string log = "WATTUNE_FAKE_NVML_LOG=" + (folder.path() / "calls").string();
  for (const std::string real : {"", " WATTUNE_FAKE_NVML_REAL=1"})
    EXPECT_EQ(run_with_stand_ins(folder, "power --device cuda:0", log + real).status, 0);
  const std::string calls = folder.read("calls");
  EXPECT_THAT(calls, HasSubstr("nvmlDeviceGetTotalEnergyConsumption"));
  EXPECT_THAT(calls, testing::Not(HasSubstr("nvmlDeviceSet")));
  EXPECT_THAT(calls, testing::Not(HasSubstr("nvmlDeviceReset")));
}

TEST(Power, NeverGivesAWholeBoardsReadingToAnInstance) {
  const TempFolder folder;
  const Finished named = run_with_stand_ins(folder, "power --device cuda:0", "WATTUNE_FAKE_NVML_MIG=1");
  EXPECT_EQ(named.status, 3);
  EXPECT_THAT(named.err, HasSubstr("is divided into instances (MIG)"));
  const Finished all = run_with_stand_ins(folder, "power", "WATTUNE_FAKE_NVML_MIG=1");
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, HasSubstr("no board found"));
  EXPECT_THAT(all.out, HasSubstr("never given to an instance"));
}

TEST(Power, UsesWhatWasMeasuredWhileTheDriverIsTheSame) {
  const TempFolder folder;
  const std::string profile = "WATTUNE_FAKE_NVML_PROFILE=H100";
  const auto before = run_with_stand_ins(folder, "power --json", profile).json()["boards"][0];
  const std::string uuid = before["uuid"];
  const std::string file = "user-cache/wattune/boards/" + uuid + ".json";
  std::filesystem::create_directories(folder.path() / "user-cache/wattune/boards");
  const nlohmann::json sensor = {{"response", "boxcar"}, {"period_ms", 101},        {"window_ms", 27},
                                 {"lag_ms", 9},          {"time_constant_ms", 0.0}, {"noise", 0.01}};
  nlohmann::json kept = {{"version", 1},
                         {"uuid", uuid},
                         {"driver", before["driver"]},
                         {"name", "H100"},
                         {"idle_w", 70},
                         {"context_idle_w", 110},
                         {"context_idle_uncertainty_w", 0.4},
                         {"sensors", {{"nvml.power.instant", sensor}}},
                         {"problems", nlohmann::json::array()}};
  folder.write(file, kept.dump());
  const auto after = run_with_stand_ins(folder, "power --json", profile).json()["boards"][0];
  EXPECT_EQ((*sensor_of(after, "power"))["window_ms"], 27);
  EXPECT_EQ((*sensor_of(after, "power"))["measured"], true);
  EXPECT_EQ(after["context_idle_w"], 110);
  const Finished newer = run_with_stand_ins(folder, "power", profile + " WATTUNE_FAKE_NVML_DRIVER=600.1");
  EXPECT_EQ(newer.status, 0);
  EXPECT_THAT(newer.out, HasSubstr("not 600.1, and are assumed again"));
  folder.write(file, "{");
  EXPECT_THAT(run_with_stand_ins(folder, "power", profile).out, HasSubstr("are damaged, and are not used"));
}

// The check comes before anything is opened or runs, because the result could not be kept.
TEST(Power, DoesNotCharacteriseWhatItCannotKeep) {
  const TempFolder folder;
  const Finished finished = run_with_stand_ins(folder, "power --characterise --device cuda:0",
                                               "WATTUNE_FAKE_NVML_PROFILE=H100 HOME= XDG_CACHE_HOME=");
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("there is no folder for the measured properties of a board"));
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

TEST(Power, RestoresNothingWhereNothingWasLeftSet) {
  const TempFolder folder;
  const Finished finished =
      run_with_stand_ins(folder, "power --restore", "WATTUNE_STATE_DIR=" + folder.path().string());
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "no board has settings that a dead process left\n");
}

}  // namespace
}  // namespace wattune::cli_test
