// `wattune corun` and `wattune profile` with stand-ins for CUDA's driver and compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/cuda_stand_ins.h"
#include "cli/run_program.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CorunOnStandIn : public testing::Test {
 protected:
  Finished marks(std::vector<std::string> arguments, const char* device = "Stand-in GPU") {
    arguments.insert(arguments.begin(), {"corun", "mark.toml", "mark.toml"});
    return on_stand_in(arguments, device);
  }
  Finished on_stand_in(std::vector<std::string> arguments, const char* device = "Stand-in GPU") {
    const StandInsForPrograms stand_ins;
    setenv("WATTUNE_FAKE_CUDA_DEVICES", device, 1);
    folder_.write("mark.ptx", kMarkPtx);
    folder_.write("mark.toml", mark_spec("mark.ptx"));
    arguments.insert(arguments.end(), {"--device", "cuda:0", "--repeats", "1", "--json"});
    return run_wattune(folder_, arguments);
  }

  TempFolder folder_;
};

// The kernel's use is counted if the peaks of the GPU are known. Two equal kernels cannot gain more over one after the
// other than the part of the GPU that neither uses. Nothing is known of a GPU that has another name.
TEST_F(CorunOnStandIn, CountsWhatKernelsUseWhereTheGpuIsKnown) {
  const Finished known = marks({"--works", "2", "--policies", "paired", "--explain"}, "NVIDIA H200");
  ASSERT_EQ(known.status, 0) << known.err;
  const nlohmann::json use = known.json()["queue"]["kernels"][0]["use"];
  EXPECT_GT(use["issue"], 0.0) << use.dump();
  EXPECT_GT(use["dram"], 0.0);
  EXPECT_EQ(use["fp32"], 0.0);
  const Finished unknown = marks({"--works", "2", "--policies", "paired"});
  EXPECT_EQ(unknown.json()["queue"]["kernels"][0]["use"], nlohmann::json::object());
}

// The counters of the stand-in are at 10 %. The counts stay beside them.
TEST_F(CorunOnStandIn, ReadsCountersBesideWhatItCounts) {
  const Finished read = on_stand_in({"profile", "mark.toml"}, "NVIDIA H200");
  ASSERT_EQ(read.status, 0) << read.err;
  const nlohmann::json profile = read.json()["profiles"][0];
  EXPECT_EQ(profile["use_by_counters"].size(), simulate::kResources);
  EXPECT_EQ(profile["use_by_counters"]["fp32"], 0.1);
  EXPECT_EQ(profile["use"]["fp32"], 0.0);
  EXPECT_EQ(profile["pur"], 0.1);
  EXPECT_THAT(read.json()["notes"].dump(), Not(HasSubstr("counters")));
  const nlohmann::json queued =
      marks({"--profiles", "profiles.jsonl", "--works", "2", "--policies", "fifo"}, "NVIDIA H200").json()["queue"];
  EXPECT_EQ(queued["kernels"][0]["use_by_counters"], profile["use_by_counters"]);
}

// Nothing is known of a GPU of another name then. Two kernels need one note.
TEST_F(CorunOnStandIn, SaysOnceThatCountersMayNotBeRead) {
  setenv("WATTUNE_FAKE_CUPTI_cuptiProfilerGetCounterAvailability", "35", 1);
  folder_.write("second.toml", mark_spec("mark.ptx"));
  const Finished finished = on_stand_in({"profile", "mark.toml", "second.toml"});
  unsetenv("WATTUNE_FAKE_CUPTI_cuptiProfilerGetCounterAvailability");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  const auto notes = document["notes"].get<std::vector<std::string>>();
  const auto is_on_counters = testing::AllOf(HasSubstr("are not read from its performance counters"),
                                             HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
  EXPECT_THAT(notes, testing::Contains(is_on_counters).Times(1));
  for (const nlohmann::json& profile : document["profiles"]) {
    EXPECT_FALSE(profile.contains("use_by_counters"));
    EXPECT_EQ(profile["pur"], nullptr);
    EXPECT_EQ(profile["use"], nlohmann::json::object());
  }
}

// Two runs never take the same time if kernels take the host's time. Shares are therefore relative to the time that the
// profile reports.
TEST_F(CorunOnStandIn, SharesAreOfTheTimeThatIsTold) {
  setenv("WATTUNE_FAKE_CUDA_TIME", "host", 1);
  const Finished finished = on_stand_in({"profile", "mark.toml"}, "NVIDIA H200");
  unsetenv("WATTUNE_FAKE_CUDA_TIME");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json profile = finished.json()["profiles"][0];
  simulate::BlockCosts costs{.issued = profile["block_costs"]["issued"]};
  const std::vector<double> use = simulate::use_of(
      costs, profile["blocks"], Nanoseconds(profile["alone_ns"].get<double>()), *simulate::find_gpu_model("H200"));
  EXPECT_DOUBLE_EQ(profile["use"]["issue"], use[0]);
}

// The spec's kernel is PTX already, so that NVRTC only compiles the code that compares outputs.
TEST_F(CorunOnStandIn, AProfileComparesNothingAndCompilesNothingForIt) {
  setenv("WATTUNE_FAKE_NVRTC_LOG", (folder_.path() / "nvrtc.log").c_str(), 1);
  EXPECT_EQ(on_stand_in({"profile", "mark.toml"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "nvrtc.log"));
  EXPECT_EQ(marks({"--least-time", "1us"}).status, 0);
  unsetenv("WATTUNE_FAKE_NVRTC_LOG");
  EXPECT_EQ(folder_.read("nvrtc.log"), "compiled\n");
}

// A kernel that cannot be counted is noted, unless a profile has its use.
TEST_F(CorunOnStandIn, WhatAProfileHasIsNotCountedAgain) {
  const auto notes = [&](std::vector<std::string> arguments) {
    arguments.push_back("strange.toml");
    const Finished finished = on_stand_in(arguments, "NVIDIA H200");
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.json()["notes"].dump();
  };
  std::string strange = kMarkPtx;
  folder_.write("strange.ptx", strange.insert(strange.find("  ret;"), "  stranger.b32 %r2, %r1;\n"));
  folder_.write("strange.toml", mark_spec("strange.ptx"));
  EXPECT_THAT(notes({"profile"}), HasSubstr("the interpreter does not know `stranger`"));
  EXPECT_THAT(notes({"corun", "mark.toml", "--profiles", "profiles.jsonl", "--least-time", "1us"}),
              Not(HasSubstr("stranger")));
}

TEST_F(CorunOnStandIn, SizesAreOfTheKernelThatTheyName) {
  const auto blocks = [&](const Finished& finished) {
    EXPECT_EQ(finished.status, 0) << finished.err;
    const nlohmann::json kernels = finished.json()["queue"]["kernels"];
    return std::pair<int, int>(kernels[0]["blocks"], kernels[1]["blocks"]);
  };
  const std::vector<std::string> queue = {"--works", "2", "--policies", "fifo"};
  const auto sized = [&](std::vector<std::string> more) {
    more.insert(more.end(), queue.begin(), queue.end());
    return marks(more);
  };
  EXPECT_EQ(blocks(sized({})), (std::pair{60, 60}));
  EXPECT_EQ(blocks(sized({"-p", "mark#2.n=24"})), (std::pair{60, 24}));
  EXPECT_EQ(blocks(sized({"-p", "mark.n=12", "--problem-size", "mark#2.n=24"})), (std::pair{12, 24}));
  EXPECT_THAT(sized({"-p", "other.n=12"}).err,
              HasSubstr("each is KERNEL.SIZE=VALUE, of a kernel that runs here: `other.n=12` (kernels: mark, mark#2)"));
  EXPECT_THAT(sized({"-p", "mark.m=12"}).err, HasSubstr("--problem-size: the spec has no such size: `m`"));
  EXPECT_EQ(marks({"-p", "mark#2.n=24", "--least-time", "1us"}).json()["pairs"][0]["outputs"]["differences"],
            nlohmann::json::array());
}

TEST_F(CorunOnStandIn, ProfilesOfOtherSizesAreStale) {
  ASSERT_EQ(on_stand_in({"profile", "mark.toml", "-p", "mark.n=24"}).status, 0);
  EXPECT_THAT(marks({"--profiles", "profiles.jsonl"}).err,
              HasSubstr("mark: profiles.jsonl: the profile of mark is stale: problem size"));
  EXPECT_EQ(marks({"--profiles", "profiles.jsonl", "-p", "mark.n=24", "--least-time", "1us"}).status, 0);
}

TEST_F(CorunOnStandIn, SweepsPersistentTwins) {
  const Finished finished = marks({"--least-time", "1us"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json pair = finished.json()["pairs"][0];
  EXPECT_EQ(pair["kernels"], nlohmann::json({"mark", "mark#2"}));
  EXPECT_GT(pair["outputs"]["compared"], 0);
  EXPECT_EQ(pair["outputs"]["differences"], nlohmann::json::array());
}

}  // namespace
}  // namespace wattune::cli_test
