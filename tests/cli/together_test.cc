// `wattune tune --together` and `--partner`, on any OpenCL device.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/cuda_stand_ins.h"
#include "cli/run_program.h"
#include "store/interface/sealed_line.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// A kernel with one parameter, the block, which writes 2 * x.
constexpr const char* kBlockSpec = R"([kernel]
file = "NAME.cl"
function = "NAME"
arguments = [
  { name = "x", type = "float*", length = "n", fill = "iota" },
  { name = "y", type = "float*", length = "n", access = "write" },
]
[problem]
n = 4096
[launch]
grid = "n // BLOCK"
block = "BLOCK"
[parameters]
BLOCK = { values = [16, 32, 64], default = 32 }
[reference]
file = "twice.cl"
function = "twice"
)";

constexpr const char* kTwice =
    "__kernel void twice(__global const float* x, __global float* y) {\n"
    "  y[get_global_id(0)] = 2 * x[get_global_id(0)];\n"
    "}\n";

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME")) text.replace(at, 4, name);
  return text;
}

class Together : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_opencl(folder_)) GTEST_SKIP() << "no OpenCL device on this machine";
    write_kernel("one", "y[i] = 2 * x[i];");
    write_kernel("two", "y[i] = x[i] + x[i];");
  }

  void write_kernel(const std::string& name, const std::string& body) {
    folder_.write(name + ".cl", "__kernel void " + name +
                                    "(__global const float* x, __global float* y) {\n  int i = "
                                    "get_global_id(0);\n  " +
                                    body + "\n}\n");
    folder_.write(name + ".toml", with_name(kBlockSpec, name));
    folder_.write("twice.cl", kTwice);
  }

  Finished tune(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "tune");
    arguments.insert(arguments.end(), {"--device", "opencl:0:0"});
    return run_wattune(folder_, quick(arguments));
  }
  std::string refused(const std::vector<std::string>& arguments) {
    const Finished finished = tune(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  // Replaces text in the header of the joint journal.
  void rewrite_header(const std::string& found, const std::string& put) {
    const std::string file = "one+two.journal.jsonl";
    const std::string journal = folder_.read(file);
    std::string header = journal.substr(0, journal.find('\n'));
    const std::string rest = journal.substr(header.size() + 1);
    header.resize(header.rfind(",\"xxh3\""));
    ASSERT_THAT(header, HasSubstr(found));
    header.replace(header.find(found), found.size(), put);
    store::seal(header);
    folder_.write(file, header + rest);
  }

  TempFolder folder_;
};

TEST_F(Together, FindsAConfigurationForEachAndComparesWithTheirBestAlone) {
  const Finished finished = tune({"--together", "one.toml", "two.toml", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["kernel"], "one+two");
  EXPECT_EQ(document["valid"], 9);
  EXPECT_EQ(document["strategy"], "walk");
  EXPECT_EQ(document["by_status"]["correct"], document["evaluated"]);
  EXPECT_EQ(document["best"]["verified"], true);
  const nlohmann::json& kernels = document["together"]["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["name"], "one");
  EXPECT_EQ(kernels[0]["configuration"]["BLOCK"], document["best"]["configuration"]["one.BLOCK"]);
  EXPECT_GT(kernels[1]["beside_ms"], 0.0);
  EXPECT_GE(kernels[1]["lost_alone"], 0.0);
  EXPECT_EQ(document["together"]["tuned_alone"]["status"], "correct");
}

// Two evaluations end the search before each kernel at its best alone, which is compared all the same.
TEST_F(Together, ComparesWithTheBestAloneOfASearchThatAStopRuleEnded) {
  const Finished finished = tune({"--together", "one.toml", "two.toml", "--json", "--evaluations", "2"});
  EXPECT_EQ(finished.json()["evaluated"], 2);
  EXPECT_EQ(finished.json()["together"]["tuned_alone"]["status"], "correct");
}

TEST_F(Together, ExportsOneHeader) {
  ASSERT_EQ(tune({"--together", "one.toml", "two.toml"}).status, 0);
  ASSERT_TRUE(folder_.has("one+two.journal.jsonl"));
  const Finished header =
      run_wattune(folder_, {"export", "one+two.journal.jsonl", "--format", "header", "--output", "tuned.h"});
  ASSERT_EQ(header.status, 0) << header.err;
  EXPECT_THAT(folder_.read("tuned.h"), HasSubstr("#define one_BLOCK "));
  EXPECT_THAT(folder_.read("tuned.h"), HasSubstr("#define two_BLOCK "));
}

TEST_F(Together, GoesOnWhereItEnded) {
  const std::vector<std::string> all = {"--together", "one.toml", "two.toml",    "--strategy",
                                        "exhaustive", "--json",   "--finalists", "0"};
  std::vector<std::string> three = all;
  three.insert(three.end(), {"--evaluations", "3"});
  EXPECT_EQ(tune(three).json()["evaluated"], 3);
  std::vector<std::string> rest = all;
  rest.emplace_back("--resume");
  const nlohmann::json document = tune(rest).json();
  EXPECT_EQ(document["resumed"], 3);
  EXPECT_EQ(document["evaluated"], 6);
}

// The second kernel takes hundreds of steps for one of the first. A resumed run takes the number of repetitions from
// the journal, even if it could not be measured.
TEST_F(Together, RelaunchesTheShorterAndResumesWithTheSameRepetitions) {
  write_kernel("two",
               "float sum = 0; for (int k = 0; k < 500; ++k) sum += x[(i + k) % 4096] < 0 ? 1.0f : 0.0f;\n"
               "  y[i] = 2 * x[i] + sum;");
  std::vector<std::string> steady = {"--together", "one.toml",      "two.toml", "--steady", "--launch-order",
                                     "two,one",    "--evaluations", "2",        "--json",   "--finalists",
                                     "0"};
  const Finished first = tune(steady);
  ASSERT_EQ(first.status, 0) << first.err;
  const auto repetitions = [](const Finished& finished, std::size_t kernel) {
    return finished.json()["together"]["kernels"][kernel]["repetitions"].get<std::size_t>();
  };
  EXPECT_GT(repetitions(first, 0), 1u);
  EXPECT_EQ(repetitions(first, 1), 1u);
  EXPECT_EQ(first.json()["together"]["tuned_alone"], nullptr);  // a comparison takes a final
  rewrite_header(fmt::format("\"repetitions\":\"{}, 1\"", repetitions(first, 0)), "\"repetitions\":\"7, 3\"");
  steady.emplace_back("--resume");
  const Finished second = tune(steady);
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(repetitions(second, 0), 7u);
  EXPECT_EQ(repetitions(second, 1), 3u);
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--steady", "--resume"}), HasSubstr("launch order"));
}

TEST_F(Together, LaunchesEachKernelAsOftenAsItIsTold) {
  std::vector<std::string> given = {"--together",    "one.toml", "two.toml", "--launches",  "two=5",
                                    "--evaluations", "2",        "--json",   "--finalists", "0"};
  const Finished finished = tune(given);
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json kernels = finished.json()["together"]["kernels"];
  EXPECT_EQ(kernels[0]["repetitions"], 1);
  EXPECT_EQ(kernels[1]["repetitions"], 5);
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launches", "two=4", "--resume"}),
              HasSubstr("repetitions"));
}

TEST_F(Together, NamesWhoFailsAndGoesOnWithoutThatConfiguration) {
  write_kernel("two", "y[i] = BLOCK == 64 ? 1.0f : x[i] + x[i];");
  const Finished finished =
      tune({"--together", "one.toml", "two.toml", "--strategy", "exhaustive", "--json", "--finalists", "0"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["by_status"]["correctness"], 3);  // of 9, with two's block of 64
  EXPECT_EQ(finished.json()["by_status"]["correct"], 6);
  EXPECT_NE(finished.json()["best"]["configuration"]["two.BLOCK"], 64);
  EXPECT_THAT(folder_.read("one+two.journal.jsonl"), HasSubstr("two fails alone: "));
}

TEST_F(Together, HasNoAnswerWhereAKernelNeverWorks) {
  write_kernel("two", "y[i] = 1.0f;");
  const Finished finished = tune({"--together", "one.toml", "two.toml", "--json"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.json()["best"], nullptr);
  EXPECT_EQ(finished.json()["together"]["kernels"], nlohmann::json::array());
}

TEST_F(Together, TunesForAPartnerInOneConfiguration) {
  const Finished finished = tune({"one.toml", "--partner", "two.toml@BLOCK=64", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["valid"], 3);
  EXPECT_EQ(document["evaluated"], 3);  // exhaustive, as for one kernel
  EXPECT_EQ(document["best"]["configuration"]["two.BLOCK"], 64);
  EXPECT_GE(document["together"]["kernels"][0]["repetitions"], 4);
}

// The test takes long on machines without a GPU.
TEST_F(Together, TunesForAClassOfPartners) {
  const Finished finished =
      tune({"one.toml", "--partner", "compute", "--json", "--evaluations", "1", "--finalists", "0"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["together"]["kernels"][1]["name"], "compute");
}

TEST_F(Together, RefusesWhatCannotRunTogether) {
  EXPECT_EQ(refused({"--together", "one.toml"}),
            "wattune: error: at least two kernels are needed to run together: `one.toml`\n");
  EXPECT_EQ(refused({"--together", "one.toml", "./one.toml"}),
            "wattune: error: the same spec twice: `./one.toml` (name each kernel once)\n");
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launch-order", "two"}),
              HasSubstr("leaves out kernels"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launch-order", "tow,one"}),
              HasSubstr("`tow` (did you mean `two`?)"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launches", "tow=2"}),
              HasSubstr("`tow=2` (did you mean `two`?)"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launches", "one=0"}), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launches", "one=2", "--steady"}),
              HasSubstr("leave out --steady"));
  EXPECT_THAT(refused({"one.toml", "--launches", "one=2"}), HasSubstr("one kernel is tuned without it"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--minimize", "power"}), HasSubstr("`power`"));
  const Finished sensorless = tune({"--together", "one.toml", "two.toml", "--minimize", "energy"});
  EXPECT_EQ(sensorless.status, 3);
  EXPECT_THAT(sensorless.err, HasSubstr("does not tell its energy"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--strategy", "wlak"}), HasSubstr("`wlak`"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--observe", "power"}), HasSubstr("`--observe`"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "-p", "three.n=64"}), HasSubstr("`three.n=64`"));
  const Finished resident = tune({"--together", "one.toml", "two.toml", "--resident-blocks", "1"});
  EXPECT_EQ(resident.status, 3);
  EXPECT_THAT(resident.err, HasSubstr("blocks stay resident on CUDA devices only: `opencl:0:0`"));
  EXPECT_EQ(refused({"one.toml", "--resident-blocks", "2"}),
            "wattune: error: one kernel is tuned without it: `--resident-blocks` (--together or --partner names "
            "others)\n");
  EXPECT_THAT(refused({"--partner", "memory"}), HasSubstr("--partner needs the SPEC"));
  EXPECT_THAT(refused({"one.toml", "--partner", "memroy"}), HasSubstr("did you mean `memory`?"));
  EXPECT_THAT(refused({"one.toml", "--partner", "none.toml"}), HasSubstr("compute, memory, latency, or a spec"));
  folder_.write("k.cu", "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] = 1; }\n");
  folder_.write("k.toml",
                "[kernel]\nfile = \"k.cu\"\nfunction = \"f\"\narguments = [\n"
                "  { name = \"x\", type = \"float*\", length = \"64\", access = \"write\" },\n]\n"
                "[launch]\nglobal = [\"64\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  EXPECT_THAT(refused({"--together", "one.toml", "k.toml"}), HasSubstr("k: "));
  EXPECT_EQ(folder_.files().size(), 7u);  // two for each kernel, the reference, and these two: no result was written
}

// Two kernels under the stand-in for CUDA's driver, on the board of NVML's stand-in, a simulated H100.
class TogetherOnBoard : public testing::Test {
 protected:
  void write_two(const std::string& parameters) {
    write_scale(folder_);
    std::string spec = kScaleSpec;
    const std::size_t begin = spec.find("[parameters]");
    spec.replace(begin, spec.find("[reference]") - begin, "[parameters]\n" + parameters + "\n");
    folder_.write("scale.toml", spec);
    folder_.write("other.toml", spec);
  }
  Finished tune(const std::string& options, const std::string& variables = "WATTUNE_FAKE_NVML_PROFILE=H100") {
    return run_with_stand_ins(
        folder_,
        "tune --together scale.toml other.toml --device cuda:0 -q --json --energy-window 50ms "
        "--min-samples 1 --max-samples 1 --finalists 0 " +
            options,
        variables + " WATTUNE_FAKE_CUDA_TIME=host WATTUNE_FAKE_BOARD=" + (folder_.path() / "board").string());
  }

  TempFolder folder_;
};

TEST_F(TogetherOnBoard, TheJoulesOfTheBoardAreTheObjective) {
  write_two("block = [32, 64]");
  const Finished finished = tune("--minimize energy --strategy exhaustive");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json best = finished.json()["best"];
  EXPECT_GT(best["objective"], 0.0);
  EXPECT_DOUBLE_EQ(best["objective"], best["metrics"]["energy"]);
  EXPECT_EQ(finished.json()["by_status"]["correct"], 4);
}

TEST_F(TogetherOnBoard, AllShareTheClockThatTheWalkLowers) {
  write_two("block = [64]\nnvml_gr_clock = [1200, 1905]");
  const Finished finished = tune("--minimize energy");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["valid"], 2);
  EXPECT_EQ(document["evaluated"], 2);  // the upper clock, and the lower one, at which the walk ends
  EXPECT_EQ(document["by_status"]["correct"], 2) << folder_.read("scale+other.journal.jsonl");
  EXPECT_TRUE(document["best"]["configuration"].contains("nvml_gr_clock"));
  EXPECT_EQ(document["together"]["kernels"][0]["configuration"], nlohmann::json({{"block", 64}}));
}

// Resetting the clock fails in every guardian, from the first call on.
constexpr const char* kCannotReset = "WATTUNE_FAKE_NVML_FAULT=nvmlDeviceResetGpuLockedClocks:1+:999";

TEST_F(TogetherOnBoard, ABoardThatCannotBeGivenBackIsToldOf) {
  write_two("block = [64]\nnvml_gr_clock = [1005, 1200]");
  const Finished finished = tune("", kCannotReset);
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("the board is not as it was"));
  EXPECT_THAT(finished.err, HasSubstr("resetting the graphics clock: error 999"));
}

// The board is set once, for the times alone and the first configuration; then the driver accepts no clock any more.
TEST_F(TogetherOnBoard, WhatEndsTheRunEarlyIsToldWithABoardThatCannotBeGivenBack) {
  write_two("block = [64]\nnvml_gr_clock = [1005, 1200]");
  const Finished finished =
      tune("--strategy exhaustive", std::string(kCannotReset) + ",nvmlDeviceSetGpuLockedClocks:2+:999");
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("the run ended early"));
  EXPECT_THAT(finished.err, HasSubstr("the board is not as it was"));
  EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
}

// A foreign lock shows in the clock at which the first kernel runs alone.
TEST_F(TogetherOnBoard, AForeignLockIsRefused) {
  write_two("block = [64]\nnvml_gr_clock = [1005, 1200]");
  const Finished refused = tune("", "WATTUNE_FAKE_BOARD_CLOCK=1005");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("somebody seems to have locked the graphics clock: a kernel runs at 1005"));
}

}  // namespace
}  // namespace wattune::cli_test
