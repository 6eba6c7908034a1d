// `wattune tune --together` and `--partner`, on whatever OpenCL there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/cuda_stand_ins.h"
#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// A kernel of one parameter, the block, which writes 2 * x.
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
    const Finished listed = run_wattune(folder_, {"devices", "--json"});
    const nlohmann::json devices = listed.status == 0 ? listed.json()["devices"] : nlohmann::json::array();
    if (std::ranges::none_of(devices, [](const nlohmann::json& device) { return device["backend"] == "opencl"; }))
      GTEST_SKIP() << "no OpenCL device on this machine";
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

TEST_F(Together, RelaunchesTheShorterAndResumesWithTheSameRepetitions) {
  const std::vector<std::string> steady = {"--together", "one.toml",      "two.toml", "--steady", "--launch-order",
                                           "two,one",    "--evaluations", "2",        "--json",   "--finalists",
                                           "0"};
  const Finished first = tune(steady);
  ASSERT_EQ(first.status, 0) << first.err;
  std::vector<std::string> resumed = steady;
  resumed.emplace_back("--resume");
  const Finished second = tune(resumed);
  ASSERT_EQ(second.status, 0) << second.err;
  for (const std::size_t k : {0, 1})
    EXPECT_EQ(first.json()["together"]["kernels"][k]["repetitions"],
              second.json()["together"]["kernels"][k]["repetitions"]);
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--steady", "--resume"}), HasSubstr("launch order"));
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

// Which takes its time where there is no GPU.
TEST_F(Together, TunesForAClassOfPartners) {
  const Finished finished =
      tune({"one.toml", "--partner", "compute", "--json", "--evaluations", "1", "--finalists", "0"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["together"]["kernels"][1]["name"], "compute");
}

TEST_F(Together, RefusesWhatCannotRunTogether) {
  EXPECT_EQ(refused({"--together", "one.toml"}),
            "wattune: error: two kernels are needed to run together: `one.toml`\n");
  EXPECT_EQ(refused({"--together", "one.toml", "./one.toml"}),
            "wattune: error: the same spec twice: `./one.toml` (name each kernel once)\n");
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launch-order", "two"}),
              HasSubstr("leaves out kernels"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--launch-order", "tow,one"}),
              HasSubstr("`tow` (did you mean `two`?)"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--minimize", "power"}), HasSubstr("`power`"));
  const Finished sensorless = tune({"--together", "one.toml", "two.toml", "--minimize", "energy"});
  EXPECT_EQ(sensorless.status, 3);
  EXPECT_THAT(sensorless.err, HasSubstr("does not tell its energy"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--strategy", "wlak"}), HasSubstr("`wlak`"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "--observe", "power"}), HasSubstr("`--observe`"));
  EXPECT_THAT(refused({"--together", "one.toml", "two.toml", "-p", "three.n=64"}), HasSubstr("`three.n=64`"));
  EXPECT_THAT(refused({"--partner", "memory"}), HasSubstr("--partner needs the SPEC"));
  EXPECT_THAT(refused({"one.toml", "--partner", "memroy"}), HasSubstr("compute, memory, latency"));
  folder_.write("k.cu", "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] = 1; }\n");
  folder_.write("k.toml",
                "[kernel]\nfile = \"k.cu\"\nfunction = \"f\"\narguments = [\n"
                "  { name = \"x\", type = \"float*\", length = \"64\", access = \"write\" },\n]\n"
                "[launch]\nglobal = [\"64\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  EXPECT_THAT(refused({"--together", "one.toml", "k.toml"}), HasSubstr("k: "));
  EXPECT_EQ(folder_.files().size(), 7u);  // two for each kernel, the reference, and these two: nothing was written
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
  Finished tune(const std::string& options) {
    return run_with_stand_ins(folder_,
                              "tune --together scale.toml other.toml --device cuda:0 -q --json --energy-window 50ms "
                              "--min-samples 1 --max-samples 1 --finalists 0 " +
                                  options,
                              "WATTUNE_FAKE_NVML_PROFILE=H100 WATTUNE_FAKE_CUDA_TIME=host WATTUNE_FAKE_BOARD=" +
                                  (folder_.path() / "board").string());
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
  EXPECT_TRUE(document["best"]["configuration"].contains("nvml_gr_clock"));
  EXPECT_EQ(document["together"]["kernels"][0]["configuration"], nlohmann::json({{"block", 64}}));
}

}  // namespace
}  // namespace wattune::cli_test
