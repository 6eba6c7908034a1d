// `wattune tune` over clocks and power limits, on stand-ins for the driver, NVML and the compiler: the board that
// NVML's stand-in sets is the one that decides how long the driver's kernels take (fakes/cuda/fake_board.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cli/cuda_stand_ins.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::cli_test {
namespace {

using fakes::FakeBoard;
using testing::HasSubstr;

// Kernels of 32 and 64 us at full clock, which have a parameter of the launch besides.
void write_clocks(const TempFolder& folder) {
  write_scale(folder);
  std::string spec = kScaleSpec;
  const std::string parameters = R"([parameters]
block = [64, 32]
nvml_gr_clock = [1005, 1200, 1395, 1590, 1755]
watts = { values = [250, 300, 350], role = "power_limit" }
)";
  const std::size_t begin = spec.find("[parameters]");
  const std::size_t end = spec.find("[reference]");
  folder.write("scale.toml", spec.replace(begin, end - begin, parameters));
}

struct Tuned {
  Finished finished;
  FakeBoard board{};
  std::ptrdiff_t compiled = 0;
};

Tuned tune_clocks(const TempFolder& folder, const std::string& options, const std::string& variables = "") {
  Tuned tuned{run_with_stand_ins(folder, "tune scale.toml --min-samples 2 --max-samples 2 " + options,
                                 "WATTUNE_FAKE_BOARD=" + (folder.path() / "board").string() +
                                     " WATTUNE_FAKE_NVRTC_LOG=" + (folder.path() / "nvrtc.log").string() + " " +
                                     variables)};
  if (folder.has("board")) {
    const std::string bytes = folder.read("board");
    std::memcpy(&tuned.board, bytes.data(), std::min(bytes.size(), sizeof tuned.board));
  }
  if (folder.has("nvrtc.log")) {
    const std::string log = folder.read("nvrtc.log");
    tuned.compiled = std::count(log.begin(), log.end(), '\n');
  }
  return tuned;
}

// At 350 W all clocks are reached (50 W + 0.15 W/MHz * 1755 MHz = 313 W), at 300 W no more than 1667 MHz.
void expect_fastest(const nlohmann::json& json) {
  EXPECT_EQ(json["by_status"]["correct"], 30);
  EXPECT_EQ(json["best"]["configuration"]["block"], 32);
  EXPECT_EQ(json["best"]["configuration"]["nvml_gr_clock"], 1755);
  EXPECT_EQ(json["best"]["configuration"]["watts"], 350);
  EXPECT_NEAR(json["best"]["time_ms"].get<double>(), 0.032, 1e-6);
  EXPECT_NEAR(json["default"]["time_ms"].get<double>(), 0.064 * 1755 / 1005, 1e-5);
}

TEST(ClocksTune, OneCompilationForEachCodeConfigurationAndTheClocksComeBack) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--strategy exhaustive --json --quiet");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  expect_fastest(tuned.finished.json());
  EXPECT_EQ(tuned.compiled, 2);
  EXPECT_GE(tuned.board.sets, 30u);  // fifteen settings, of a clock and a limit each
  EXPECT_GE(tuned.board.resets, 1u);
  EXPECT_EQ(tuned.board.graphics(), FakeBoard::kFullClock);
  EXPECT_EQ(tuned.board.limit(), FakeBoard::kUsualLimit);
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr(R"("role":"graphics_clock")"));
}

// In whatever order: compiled by the pool that keeps nothing on disk, or by the device's worker.
TEST(ClocksTune, RandomOrderCompilesNothingTwiceEither) {
  for (const std::string jobs : {"2", "0"}) {
    const TempFolder folder;
    write_clocks(folder);
    const Tuned tuned = tune_clocks(
        folder, "--strategy random --evaluations 30 --json --quiet --no-compile-cache --compile-jobs " + jobs);
    ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
    expect_fastest(tuned.finished.json());
    EXPECT_EQ(tuned.compiled, 2) << jobs;
  }
}

TEST(ClocksTune, WithoutClockParametersNothingIsSet) {
  const TempFolder folder;
  write_scale(folder);
  const Tuned tuned = tune_clocks(folder, "--json --quiet --observe power,energy --energy-window 10ms");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  EXPECT_EQ(tuned.board.sets, 0u);
  EXPECT_EQ(tuned.board.resets, 0u);
}

TEST(ClocksTune, WithoutPermissionItStopsBeforeCompiling) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--quiet", "WATTUNE_FAKE_NVML_SET=4");
  EXPECT_NE(tuned.finished.status, 0);
  EXPECT_THAT(tuned.finished.err, HasSubstr("setting the graphics clock: not permitted"));
  EXPECT_THAT(tuned.finished.err, HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_EQ(tuned.compiled, 0);
  EXPECT_FALSE(folder.has("scale.journal.jsonl"));
}

TEST(ClocksTune, ClocksThatTheBoardLacksFailAlone) {
  const TempFolder folder;
  write_clocks(folder);
  std::string spec = folder.read("scale.toml");
  folder.write("scale.toml", spec.replace(spec.find("1395"), 4, "1396"));
  const Tuned tuned = tune_clocks(folder, "--strategy exhaustive --json --quiet");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  EXPECT_EQ(tuned.finished.json()["by_status"]["constraints"], 6);
  EXPECT_EQ(tuned.finished.json()["by_status"]["correct"], 24);
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr("the board has no graphics clock of 1396 MHz"));
}

TEST(ClocksTune, OfRealBoardsAreLeftAlone) {
  const TempFolder folder;
  write_clocks(folder);
  const Finished finished = run_with_stand_ins(folder, "tune scale.toml --quiet", "WATTUNE_FAKE_NVML_REAL=1");
  EXPECT_NE(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("clocks of real boards are not set: control of them comes with its guardian"));
  EXPECT_THAT(finished.err, HasSubstr("nvml_gr_clock"));
}

TEST(ClocksTune, AKernelThatNamesAClockIsDoubted) {
  const TempFolder folder;
  write_clocks(folder);
  folder.write("scale.cu", "extern \"C\" __global__ void scale(float* x, float factor, int n) { int w = watts; }\n");
  EXPECT_THAT(tune_clocks(folder, "--evaluations 1 --finalists 0").finished.err,
              HasSubstr("the kernel names `watts`, whose role is power_limit"));
}

TEST(ClocksTune, SpaceAndShowNameTheRoles) {
  const TempFolder folder;
  write_clocks(folder);
  const auto space = run_with_stand_ins(folder, "space scale.toml --json").json();
  EXPECT_EQ(space["parameters"][0]["role"], "code");
  EXPECT_EQ(space["parameters"][1]["role"], "graphics_clock");
  EXPECT_THAT(run_with_stand_ins(folder, "space scale.toml").out, testing::ContainsRegex("watts .* power_limit"));
  ASSERT_EQ(tune_clocks(folder, "--quiet --evaluations 2 --finalists 0").finished.status, 0);
  EXPECT_THAT(run_with_stand_ins(folder, "show scale.journal.jsonl").out,
              HasSubstr("roles      nvml_gr_clock is graphics_clock, watts is power_limit\n"));
}

}  // namespace
}  // namespace wattune::cli_test
