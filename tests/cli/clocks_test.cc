// `wattune tune` over clocks and power limits, on stand-ins for the driver, NVML and the compiler. The board that
// NVML's stand-in sets decides how long the driver's kernels take (fakes/cuda/fake_board.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cli/cuda_stand_ins.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::cli_test {
namespace {

using fakes::FakeBoard;
using testing::HasSubstr;
using testing::Not;

// Writes a spec of kernels of 32 and 64 us at full clock, which also have a parameter of the launch.
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

// Expects the fastest configuration. At 350 W all clocks are reached (50 W + 0.15 W/MHz * 1755 MHz = 313 W), at 300 W
// at most 1667 MHz.
void expect_fastest(const nlohmann::json& json) {
  EXPECT_EQ(json["by_status"]["correct"], 30);
  EXPECT_EQ(json["best"]["configuration"]["block"], 32);
  EXPECT_EQ(json["best"]["configuration"]["nvml_gr_clock"], 1755);
  EXPECT_EQ(json["best"]["configuration"]["watts"], 350);
  EXPECT_NEAR(json["best"]["time_ms"].get<double>(), 0.032, 1e-6);
  EXPECT_NEAR(json["default"]["time_ms"].get<double>(), 0.064, 1e-5);
}

TEST(ClocksTune, OneCompilationForEachCodeConfigurationAndTheClocksComeBack) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--strategy exhaustive --json --quiet");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  expect_fastest(tuned.finished.json());
  EXPECT_EQ(tuned.compiled, 2);
  EXPECT_GE(tuned.board.sets, 30u);  // fifteen settings of a clock and a limit, two calls each
  EXPECT_GE(tuned.board.resets, 1u);
  EXPECT_EQ(tuned.board.graphics(), FakeBoard::kFullClock);
  EXPECT_EQ(tuned.board.limit(), FakeBoard::kUsualLimit);
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr(R"("role":"graphics_clock")"));
}

// The order does not matter, whether the pool that keeps nothing on disk compiles, or the device's worker.
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
  EXPECT_FALSE(folder.has("state"));  // the state of a guardian
}

// The names of all functions that any process of the run called prove that none of them sets clocks.
TEST(ClocksTune, WithoutClockParametersNoFunctionThatSetsIsCalled) {
  const TempFolder folder;
  write_scale(folder);
  const std::string libraries = program_path().parent_path().string();
  const Finished finished = run_with_stand_ins(
      folder, "tune scale.toml --json --quiet --observe power,energy --energy-window 10ms",
      "WATTUNE_LIBNVML=" + libraries + "/wattune-forwarding-libnvml.so WATTUNE_FORWARD_NVML=" + libraries +
          "/wattune-fake-libnvml.so WATTUNE_NVML_LOG=" + (folder.path() / "nvml.log").string());
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_GT(finished.json()["best"]["metrics"]["energy"].get<double>(), 0.0);
  const std::string log = folder.read("nvml.log");
  EXPECT_THAT(log, HasSubstr("nvmlDeviceGetTotalEnergyConsumption\n"));
  EXPECT_THAT(log, testing::Not(HasSubstr("Set")));
  EXPECT_THAT(log, testing::Not(HasSubstr("Reset")));
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

// The stand-in counts as a library that drives real boards. If a real one is found instead, its boards are left alone.
constexpr const char* kAsReal = "WATTUNE_LEAVE_CLOCKS=1 WATTUNE_FAKE_NVML_REAL=1";

TEST(ClocksTune, OfRealBoardsAreLeftAloneWhereThatIsTheRule) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--quiet", kAsReal);
  EXPECT_NE(tuned.finished.status, 0);
  EXPECT_THAT(tuned.finished.err,
              testing::AnyOf(HasSubstr("clocks of real boards are left alone here (WATTUNE_LEAVE_CLOCKS)"),
                             HasSubstr("this process may not set")));  // for lack of rights, which is checked first
  EXPECT_THAT(tuned.finished.err, HasSubstr("nvml_gr_clock"));
  EXPECT_EQ(tuned.board.sets, 0u);
  EXPECT_EQ(tuned.compiled, 0);
}

// A process has the right to set a real board or not; that is read and never tried.
TEST(ClocksTune, OfRealBoardsNeedRights) {
  const TempFolder folder;
  write_clocks(folder);
  const std::string without_rights = getuid() == 0 ? " setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin" : "";
  const Tuned tuned = tune_clocks(folder, "--quiet", kAsReal + without_rights);
  EXPECT_NE(tuned.finished.status, 0);
  EXPECT_THAT(tuned.finished.err, HasSubstr("this process may not set the graphics clock of the board 0000:3B:00.0"));
  EXPECT_THAT(tuned.finished.err, HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_EQ(tuned.board.sets, 0u);
  EXPECT_EQ(tuned.compiled, 0);
  EXPECT_FALSE(folder.has("state"));
}

TEST(ClocksTune, ClocksThatAreCurrentAreNoParametersAndNeedNoPermission) {
  const TempFolder folder;
  write_clocks(folder);
  std::string spec = folder.read("scale.toml");
  folder.write("scale.toml", spec.insert(spec.find("[parameters]"), "[search]\nconstraints = [\"watts < 260\"]\n"));
  const Tuned tuned = tune_clocks(folder, "--clocks current --json --quiet", "WATTUNE_FAKE_NVML_SET=4");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  EXPECT_EQ(tuned.finished.json()["by_status"]["correct"], 2);
  EXPECT_EQ(tuned.finished.json()["best"]["configuration"], nlohmann::json({{"block", 32}}));
  EXPECT_EQ(tuned.board.sets + tuned.board.resets, 0u);
  EXPECT_FALSE(folder.has("state"));
}

// Fifteen settings, of a clock and a limit each, and the limit once more when the board is restored.
TEST(ClocksTune, EachSettingIsMadeOnceByASearchOfAll) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--strategy exhaustive --finalists 0 --json --quiet");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  EXPECT_EQ(tuned.board.sets, 31u);
}

TEST(ClocksTune, AForeignLimitIsRefusedAndTakenOverOnlyWhenAsked) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned refused = tune_clocks(folder, "--quiet", "WATTUNE_FAKE_BOARD_LIMIT=450000");
  EXPECT_NE(refused.finished.status, 0);
  EXPECT_THAT(refused.finished.err, HasSubstr("somebody has set the power limit of the board to 450 W"));
  EXPECT_EQ(refused.compiled, 0);
  const Tuned taken = tune_clocks(folder, "--quiet --take-over --evaluations 4");
  EXPECT_EQ(taken.finished.status, 0) << taken.finished.err;
  EXPECT_EQ(taken.board.limit(), 450'000u);
}

TEST(ClocksTune, ABoardThatDoesNotObeyShowsUnderLoad) {
  const TempFolder folder;
  write_clocks(folder);
  std::string spec = folder.read("scale.toml");
  spec.erase(spec.find("watts ="), spec.find("[reference]") - spec.find("watts ="));
  folder.write("scale.toml", spec);
  const Tuned tuned = tune_clocks(folder, "--strategy exhaustive --json --quiet", "WATTUNE_FAKE_NVML_DEAF=1");
  ASSERT_EQ(tuned.finished.status, 0) << tuned.finished.err;
  EXPECT_EQ(tuned.finished.json()["by_status"]["correct"], 2);  // configurations at 1755 MHz
  EXPECT_EQ(tuned.finished.json()["by_status"]["constraints"], 8);
  EXPECT_THAT(folder.read("scale.journal.jsonl"),
              HasSubstr("the board was set to a graphics clock (MHz) of 1005, but says 1755"));
}

// Resetting the clock fails in every guardian, from the first call on.
TEST(ClocksTune, ABoardThatCannotBeGivenBackIsToldOf) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned tuned = tune_clocks(folder, "--evaluations 2 --finalists 0 --quiet",
                                  "WATTUNE_FAKE_NVML_FAULT=nvmlDeviceResetGpuLockedClocks:1+:999");
  EXPECT_EQ(tuned.finished.status, 3);
  EXPECT_THAT(tuned.finished.err, HasSubstr("the board is not as it was"));
  EXPECT_THAT(tuned.finished.err, HasSubstr("resetting the graphics clock: error 999"));
  const Finished restored =
      run_with_stand_ins(folder, "tune scale.toml --quiet --evaluations 1 --finalists 0 --overwrite",
                         "WATTUNE_FAKE_BOARD=" + (folder.path() / "board").string());
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(folder.read("state/GPU-57a4d000-0000-4000-8000-00000000003b.lock"), Not(testing::IsEmpty()));
  EXPECT_FALSE(folder.has("state/GPU-57a4d000-0000-4000-8000-00000000003b.journal"));
}

// Nobody can reset a foreign lock. It shows in the clock at which the first kernel runs.
TEST(ClocksTune, AForeignLockIsRefused) {
  const TempFolder folder;
  write_clocks(folder);
  const Tuned refused = tune_clocks(folder, "--quiet", "WATTUNE_FAKE_BOARD_CLOCK=1005");
  EXPECT_NE(refused.finished.status, 0);
  EXPECT_THAT(refused.finished.err,
              HasSubstr("somebody seems to have locked the graphics clock: a kernel runs at 1005"));
  EXPECT_EQ(refused.board.sets, 0u);
}

// The stand-in runs at 1,755 of 1,980 MHz by default; 1,725 are 87 % of the highest. NVML does not report a lock, only
// the default clocks of applications. A clock one step (15 MHz) below that may be an inaccurate reading.
TEST(ClocksTune, AForeignLockOfAHighClockIsRefused) {
  const TempFolder folder;
  write_clocks(folder);
  EXPECT_THAT(tune_clocks(folder, "--quiet", "WATTUNE_FAKE_BOARD_CLOCK=1725").finished.err,
              HasSubstr("somebody seems to have locked the graphics clock: a kernel runs at 1725"));
  const TempFolder other;  // has a separate board
  write_clocks(other);
  EXPECT_THAT(tune_clocks(other, "--quiet", "WATTUNE_FAKE_BOARD_CLOCK=1740").finished.err,
              Not(HasSubstr("somebody seems to have locked")));
}

TEST(ClocksTune, OthersThatComputeAreRefused) {
  const TempFolder folder;
  write_clocks(folder);
  EXPECT_THAT(tune_clocks(folder, "--quiet", "WATTUNE_FAKE_NVML_PROCESSES=1").finished.err,
              HasSubstr("process 1 computes on the board, too"));
  EXPECT_THAT(tune_clocks(folder, "--quiet", "WATTUNE_FAKE_NVML_PROCESSES=hidden").finished.err,
              HasSubstr("it cannot be told whether other processes compute on the board"));
}

// A few kills; tests/power/crash_test.cc has hundreds.
TEST(ClocksTune, ThatIsKilledGivesTheBoardBack) {
  for (const int wanted : {1, 4, 9}) {
    const TempFolder folder;
    write_clocks(folder);
    const StandInsForPrograms stand_ins;
    setenv("WATTUNE_FAKE_BOARD", (folder.path() / "board").c_str(), 1);
    setenv("WATTUNE_STATE_DIR", (folder.path() / "state").c_str(), 1);
    RunningProgram program(folder, {"tune", "scale.toml", "--strategy", "random", "--seed", "3", "--quiet"});
    const auto evaluated = [&] {
      const std::string text = folder.has("scale.journal.jsonl") ? folder.read("scale.journal.jsonl") : "";
      return std::ranges::count(text, '\n');
    };
    EXPECT_TRUE(program.wait_until([&] { return evaluated() > wanted; }));
    kill(program.pid(), SIGKILL);
    program.wait();
    const std::string lock = (folder.path() / "state/GPU-57a4d000-0000-4000-8000-00000000003b.lock").string();
    EXPECT_EQ(std::system(("flock " + lock + " true").c_str()), 0);  // until the guardian has ended
    FakeBoard board{};
    std::memcpy(&board, folder.read("board").data(), sizeof board);
    EXPECT_GT(board.sets, 0u);
    EXPECT_EQ(board.graphics(), FakeBoard::kFullClock);
    EXPECT_EQ(board.limit(), FakeBoard::kUsualLimit);
    EXPECT_FALSE(folder.has("state/GPU-57a4d000-0000-4000-8000-00000000003b.journal"));
    for (const char* name : {"WATTUNE_FAKE_BOARD", "WATTUNE_STATE_DIR"}) unsetenv(name);
  }
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
