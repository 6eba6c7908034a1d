// `wattune corun --clocks`: on a simulated GT 640, and on stand-ins for driver and NVML, which share one board
// (fakes/cuda/fake_board.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "cli/cuda_stand_ins.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::cli_test {
namespace {

using fakes::FakeBoard;
using testing::HasSubstr;

class CorunClocks : public testing::Test {
 protected:
  Finished corun(std::vector<std::string> arguments, const std::string& kernels = "Srad,Hotspot") {
    arguments.insert(arguments.begin(),
                     {"corun", "--device", "simulated:GT640", "--kernels", kernels, "--works", "20"});
    return run_wattune(folder_, arguments);
  }
  // Returns the single line of a command that is refused.
  std::string refused(const std::vector<std::string>& arguments) {
    const Finished finished = corun(arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  TempFolder folder_;
};

// Both kernels wait for memory, so that at lower clocks they take fewer joules and hardly longer.
TEST_F(CorunClocks, WhatWaitsForMemoryTakesFewerJoules) {
  const Finished finished =
      corun({"--objective", "energy", "--clocks", "auto", "--policies", "paired,greedy", "--json"}, "Srad,Time_step");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["clocks_mhz"], nlohmann::json({562, 705, 836, 967, 1097, 1228}));
  EXPECT_EQ(queue["refused"], nullptr);
  for (const nlohmann::json& kernel : queue["kernels"]) {
    ASSERT_EQ(kernel["at_clocks"].size(), 6U);
    EXPECT_LT(kernel["best_clock_mhz"], 1228);
    EXPECT_NEAR(kernel["at_clocks"][5]["alone_ms"], kernel["alone_ms"], 0.02 * kernel["alone_ms"].get<double>());
    EXPECT_LT(kernel["at_clocks"][0]["watts_alone"], kernel["at_clocks"][5]["watts_alone"]);
    EXPECT_LT(kernel["at_clocks"][0]["watts_idle"], kernel["at_clocks"][5]["watts_idle"]);
  }
  std::map<std::string, nlohmann::json> policies;
  for (const nlohmann::json& each : queue["policies"]) policies[each["policy"]] = each;
  for (const std::string policy : {"paired, energy", "greedy, energy"}) {
    const nlohmann::json& own = policies[policy];
    const nlohmann::json& chosen = policies[policy + " at the best clocks"];
    EXPECT_LT(chosen["joules"].get<double>(), 0.95 * own["joules"].get<double>()) << policy;
    EXPECT_EQ(own["pairs"][0]["clock_mhz"], nullptr);
    EXPECT_LT(chosen["pairs"][0]["clock_mhz"], 1228);
  }
}

// Hotspot waits for nothing, so that a slower memory saves joules. Srad waits for the memory.
TEST_F(CorunClocks, ThoseOfTheMemoryAreChosenToo) {
  const std::vector<std::string> arguments = {"--objective", "energy",   "--policies",
                                              "paired",      "--clocks", "1228/710,1228/324,562/324,562/710"};
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const Finished finished = corun(as_json);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["clocks_mhz"], nlohmann::json({562, 1228, 562, 1228}));
  EXPECT_EQ(queue["memory_clocks_mhz"], nlohmann::json({324, 324, 710, 710}));
  EXPECT_EQ(queue["kernels"][0]["best_memory_clock_mhz"], 710);
  EXPECT_EQ(queue["kernels"][1]["best_memory_clock_mhz"], 324);
  EXPECT_EQ(queue["kernels"][1]["at_clocks"][1]["memory_clock_mhz"], 324);
  std::vector<std::string> explained = arguments;
  explained.emplace_back("--explain");
  EXPECT_THAT(corun(explained).out, testing::ContainsRegex("Hotspot +1228/324 MHz"));
}

TEST_F(CorunClocks, ExplainNamesTheClocksOfPairsAndOfKernelsAlone) {
  const Finished finished =
      corun({"--objective", "energy", "--clocks", "836,562,1228", "--policies", "paired", "--explain"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, testing::ContainsRegex("Srad +836 MHz"));
  EXPECT_THAT(finished.out, testing::ContainsRegex("Hotspot +1228 MHz"));
  EXPECT_THAT(finished.out, testing::ContainsRegex("Srad with Hotspot +[0-9]:[0-9] blocks per SM, [0-9]+ MHz"));
}

// Hotspot computes. At 1097 MHz it is 12 % slower, so that no pair stays within 5 %.
TEST_F(CorunClocks, TheSlowdownIsKeptAtEachClock) {
  const Finished finished =
      corun({"--objective", "energy", "--slowdown", "5%", "--clocks", "auto", "--policies", "paired", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  for (const nlohmann::json& kernel : queue["kernels"])
    for (const nlohmann::json& point : kernel["at_clocks"])
      if (point["clock_mhz"] == kernel["best_clock_mhz"]) {
        EXPECT_LE(point["alone_ms"].get<double>(), 1.05 * kernel["alone_ms"].get<double>());
      }
  EXPECT_EQ(queue["kernels"][1]["best_clock_mhz"], 1228);
  const nlohmann::json& last = queue["policies"].back();
  EXPECT_EQ(last["policy"], "paired, energy within limits at the best clocks");
  for (const nlohmann::json& pair : last["pairs"]) EXPECT_EQ(pair["ratio"], nullptr);
}

TEST_F(CorunClocks, APowerCapIsKeptByClocks) {
  const std::vector<std::string> capped = {"--power-cap", "37", "--policies", "paired"};
  EXPECT_THAT(refused(capped), HasSubstr("W alone: `37 W` (raise --power-cap, or let --clocks set lower clocks"));
  std::vector<std::string> clocked = capped;
  clocked.insert(clocked.end(), {"--clocks", "auto", "--json"});
  const Finished finished = corun(clocked);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  for (const nlohmann::json& kernel : document["queue"]["kernels"])
    for (const nlohmann::json& point : kernel["at_clocks"])
      if (point["clock_mhz"] == kernel["best_clock_mhz"]) {
        EXPECT_LE(point["watts_alone"].get<double>(), 37.0);
      }
}

TEST_F(CorunClocks, SaysInOneLineWhatCannotBe) {
  const auto with = [&](const std::string& clocks) { return refused({"--objective", "energy", "--clocks", clocks}); };
  EXPECT_THAT(with("836,837"), HasSubstr("clocks: the board has no such clock of its cores: `837 MHz` (nearest: 836)"));
  EXPECT_THAT(with("836,837/324"), HasSubstr("no such clock of its cores: `837 MHz` (nearest: 836)"));
  EXPECT_THAT(with("836/324,836/500"),
              HasSubstr("clocks: the board has no such clock of its memory: `500 MHz` (nearest: 480)"));
  EXPECT_THAT(with("836/324,836/"), HasSubstr("clocks are auto, current, or numbers of MHz: `836/`"));
  EXPECT_THAT(with("836"), HasSubstr("at least two clocks are needed to choose from: `836`"));
  EXPECT_THAT(with("836,fast"), HasSubstr("clocks are auto, current, or numbers of MHz: `fast`"));
  EXPECT_THAT(with("836,-1"), HasSubstr("clocks are auto, current, or numbers of MHz: `-1`"));
  EXPECT_THAT(refused({"--clocks", "auto"}), HasSubstr("--clocks needs an objective in joules or watts"));
  EXPECT_THAT(refused({"--take-over", "--objective", "energy"}), HasSubstr("--take-over needs clocks to set"));
  EXPECT_THAT(refused({"--energy-window", "1s"}), HasSubstr("--energy-window needs an objective in joules or watts"));
  EXPECT_THAT(refused({"--objective", "energy", "--slowdown", "10%", "--clocks", "562,836"}),
              HasSubstr("Hotspot alone keeps the limits at none of these clocks"));
  EXPECT_THAT(refused({"--objective", "energy", "--energy-window", "0s"}),
              HasSubstr("--energy-window: expected a time above 0: `0s`"));
}

TEST_F(CorunClocks, ABoardWhoseMemoryClockIsFixedIsNamed) {
  const Finished finished =
      run_wattune(folder_, {"corun", "--device", "simulated:V100", "--kernels", "PC,SAD", "--works", "4", "--policies",
                            "paired", "--objective", "energy", "--clocks", "1110/877,1380/877"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("clocks: the memory clock of this board cannot be set: `V100`"));
  EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
}

TEST_F(CorunClocks, CurrentOnesAreTheDefault) {
  const Finished usual = corun({"--objective", "energy", "--policies", "paired", "--json"});
  const Finished current = corun({"--objective", "energy", "--policies", "paired", "--clocks", "current", "--json"});
  EXPECT_EQ(usual.status, 0) << usual.err;
  EXPECT_EQ(usual.out, current.out);
  EXPECT_EQ(usual.json()["queue"]["clocks_mhz"], nullptr);
}

// Tests on a board of NVML, an H100 with its physics, on which a kernel takes the host's time.
class CorunClocksOnBoard : public testing::Test {
 protected:
  Finished corun(const std::string& clocks, const std::string& variables = "",
                 const std::string& profile = "WATTUNE_FAKE_NVML_PROFILE=H100") {
    folder_.write("mark.ptx", kMarkPtx);
    folder_.write("mark.toml", mark_spec("mark.ptx"));
    const Finished finished = run_with_stand_ins(
        folder_,
        "corun mark.toml mark.toml --device cuda:0 --repeats 1 --works 8 --policies paired --objective energy "
        "--energy-window 150ms --json --quiet " +
            clocks,
        profile + " WATTUNE_FAKE_CUDA_TIME=host WATTUNE_FAKE_BOARD=" + (folder_.path() / "board").string() + " " +
            variables);
    if (folder_.has("board")) std::memcpy(&board_, folder_.read("board").data(), sizeof board_);
    return finished;
  }
  // Expects that nothing ran and that the board is unchanged; returns the message.
  std::string refused(const std::string& clocks, const std::string& variables) {
    const Finished finished = corun(clocks, variables);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_EQ(board_.launched_ms, 0.0);
    EXPECT_EQ(board_.graphics_lock, 0U);
    return finished.err;
  }

  TempFolder folder_;
  FakeBoard board_{};
};

TEST_F(CorunClocksOnBoard, ClocksAreSetAndGivenBack) {
  const Finished finished = corun("--clocks 1200,1905");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["clocks_mhz"], nlohmann::json({1200, 1905}));
  EXPECT_GT(queue["kernels"][0]["at_clocks"][0]["watts_alone"], 0.0);
  EXPECT_EQ(queue["policies"].back()["policy"], "paired, energy at the best clocks");
  // Each clock is set once for a try and, with two kernels, three times for the profile; then in the queue.
  EXPECT_GE(board_.sets, 9U);
  EXPECT_EQ(board_.graphics_lock, 0U);
  EXPECT_FALSE(folder_.has("state/GPU-57a4d000-0000-4000-8000-00000000003b.journal"));
}

TEST_F(CorunClocksOnBoard, ThoseOfTheMemoryAreSetAndGivenBack) {
  const Finished finished = corun("--clocks 1200/2619,1905/2619");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["queue"]["memory_clocks_mhz"], nlohmann::json({2619, 2619}));
  EXPECT_GE(board_.sets, 18U);  // each clock of the cores with one of the memory
  EXPECT_EQ(board_.graphics_lock, 0U);
  EXPECT_EQ(board_.memory_lock, 0U);
}

TEST_F(CorunClocksOnBoard, CurrentOnesSetNothing) {
  const Finished finished = corun("", "WATTUNE_FAKE_NVML_SET=4");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(board_.sets + board_.resets, 0U);
  EXPECT_FALSE(folder_.has("state"));
}

TEST_F(CorunClocksOnBoard, WithoutPermissionNothingRuns) {
  EXPECT_THAT(refused("--clocks 1200,1905", "WATTUNE_FAKE_NVML_SET=4"),
              HasSubstr("clocks: setting the graphics clock: not permitted"));
}

TEST_F(CorunClocksOnBoard, ABoardThatRefusesOneOfTheClocksRunsNothing) {
  EXPECT_THAT(refused("--clocks 1200,1905", "WATTUNE_FAKE_NVML_FAULT=nvmlDeviceSetGpuLockedClocks:2+:999"),
              HasSubstr("clocks: setting the graphics clock: error 999"));
  EXPECT_THAT(refused("--clocks 1200,1201", ""), HasSubstr("no such clock of its cores: `1201 MHz` (nearest: 1200)"));
}

TEST_F(CorunClocksOnBoard, WhoElseUsesTheBoardIsRespectedUnlessItIsTakenOver) {
  EXPECT_THAT(refused("--clocks 1200,1905", "WATTUNE_FAKE_NVML_PROCESSES=1"),
              HasSubstr("clocks: process 1 computes on the board, too"));
  const Finished taken = corun("--clocks 1200,1905 --take-over", "WATTUNE_FAKE_NVML_PROCESSES=1");
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_EQ(board_.graphics_lock, 0U);
}

// Nobody can reset a foreign lock. It shows in the clock at which the first kernel runs.
TEST_F(CorunClocksOnBoard, AForeignLockIsRefused) {
  const Finished finished = corun("--clocks 1200,1755", "WATTUNE_FAKE_BOARD_CLOCK=1005", "");
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("clocks: somebody seems to have locked the graphics clock: a kernel runs at"));
}

// The profile sets each clock three times, the second time for the first kernel.
TEST_F(CorunClocksOnBoard, ARefusalInTheProfileGivesTheBoardBack) {
  const Finished finished = corun("--clocks 1200,1905", "WATTUNE_FAKE_NVML_FAULT=nvmlDeviceSetGpuLockedClocks:4+:999");
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("clock of 1200 MHz: setting the graphics clock: error 999"));
  EXPECT_EQ(board_.graphics_lock, 0U);
}

// The tries and the profile set clocks eight times; the ninth time is the queue's.
TEST_F(CorunClocksOnBoard, ARefusalHalfWayThroughTheQueueTellsWhatHasEnded) {
  const Finished finished = corun("--clocks 1200,1905", "WATTUNE_FAKE_NVML_FAULT=nvmlDeviceSetGpuLockedClocks:9+:999");
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("which are the board's own again: setting the graphics clock: error 999"));
  EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["refused"]["policy"], "paired, energy at the best clocks");
  EXPECT_LT(queue["refused"]["ended"], 8);
  EXPECT_EQ(queue["policies"].size(), 4U);  // policies at the board's own clocks
  EXPECT_EQ(board_.graphics_lock, 0U);
}

}  // namespace
}  // namespace wattune::cli_test
