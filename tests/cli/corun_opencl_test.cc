// `wattune corun` on an OpenCL device of this machine, and what it compares of the kernels' outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/corun_fixture.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// Two small kernels on any OpenCL device.
class CorunOnOpencl : public Corun {
 protected:
  void SetUp() override {
    if (!has_opencl(folder_)) GTEST_SKIP() << "no OpenCL device on this machine";
    write_add_spec(folder_, 3);
    folder_.write("scale.cl", "__kernel void scale(__global float* x) { x[get_global_id(0)] *= 1.5f; }\n");
    folder_.write("scale.toml",
                  "[kernel]\nfile = \"scale.cl\"\nfunction = \"scale\"\narguments = [\n"
                  "  { name = \"x\", type = \"float*\", length = \"n\", access = \"readwrite\", fill = \"iota\" },\n]\n"
                  "[problem]\nn = 8192\n[launch]\nglobal = [\"n\"]\nlocal = [\"64\"]\n[parameters]\nk = [1, 2]\n");
  }
  Finished on_opencl(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--device", "opencl:0:0", "--repeats", "1", "--json"});
    return corun(arguments);
  }
};

TEST_F(CorunOnOpencl, SweepsSlicesAndComparesWhatTheyLeave) {
  const Finished finished = on_opencl({"add.toml", "scale.toml@k=2"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["simulated"], false);
  EXPECT_THAT(
      document["notes"].dump(),
      HasSubstr("add shares SMs in slices, not with resident blocks: blocks stay resident in CUDA kernels only"));
  EXPECT_THAT(document["notes"].dump(), HasSubstr("scale overwrites its input x, which is restored"));
  const nlohmann::json& pair = document["pairs"][0];
  EXPECT_EQ(pair["kernels"], nlohmann::json({"add", "scale"}));
  EXPECT_EQ(pair["outputs"]["compared"], 6);  // streams, two priorities, 1:3, 2:2 and 3:1
  EXPECT_EQ(pair["outputs"]["not_compared"], nlohmann::json::array());
  EXPECT_EQ(pair["outputs"]["differences"], nlohmann::json::array());
  EXPECT_EQ(pair["rows"].size(), 7U);  // including four baselines, as no kernel has SMs of its own
  for (const nlohmann::json& row : pair["rows"]) EXPECT_EQ(row["error"], nullptr) << row.dump();
}

// The second launch reads what all blocks of the first have written.
TEST_F(CorunOnOpencl, ASpecOfSeveralLaunchesRunsAsOneKernel) {
  folder_.write("turn.cl",
                "__kernel void doubled(__global const float* x, __global float* twice) {\n"
                "  twice[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n"
                "__kernel void turned(__global const float* twice, __global float* out) {\n"
                "  out[get_global_id(0)] = twice[get_num_groups(0) * 64 - 1 - get_global_id(0)];\n}\n");
  folder_.write("turn.toml",
                "[kernel]\nfile = \"turn.cl\"\nfunction = \"doubled\"\narguments = [\n"
                "  { name = \"x\", type = \"float*\", length = \"n\", fill = \"iota\" },\n"
                "  { name = \"twice\", type = \"float*\", length = \"n\", access = \"write\" },\n"
                "  { name = \"out\", type = \"float*\", length = \"n\", access = \"write\" },\n]\n"
                "[problem]\nn = 8192\n"
                "[[launch]]\narguments = [\"x\", \"twice\"]\nglobal = [\"n\"]\nlocal = [\"64\"]\n"
                "[[launch]]\nfunction = \"turned\"\narguments = [\"twice\", \"out\"]\n"
                "global = [\"n\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  const Finished pair = on_opencl({"turn.toml", "add.toml"});
  ASSERT_EQ(pair.status, 0) << pair.err;
  EXPECT_EQ(pair.json()["pairs"][0]["outputs"]["compared"], 6);
  EXPECT_EQ(pair.json()["pairs"][0]["outputs"]["differences"], nlohmann::json::array());
  const Finished queue =
      on_opencl({"--works", "8", "--policies", "paired,kernelet,streams", "turn.toml", "scale.toml"});
  ASSERT_EQ(queue.status, 0) << queue.err;
  EXPECT_EQ(queue.json()["queue"]["outputs"]["differences"], nlohmann::json::array());
}

TEST_F(CorunOnOpencl, RunsQueuesOfTheSameSpecTwice) {
  const Finished finished = on_opencl({"--works", "6", "--policies", "paired,fifo", "add.toml", "add.toml"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  EXPECT_EQ(queue["kernels"][1]["name"], "add#2");
  EXPECT_EQ(queue["policies"].size(), 3U);
  EXPECT_EQ(queue["policies"][1]["pairs"].size(), 1U);
  EXPECT_EQ(queue["outputs"]["differences"], nlohmann::json::array());
  EXPECT_THAT(queue["verdict"]["withheld"].get<std::string>(), HasSubstr("one round tells nothing"));
}

// Each work has outputs of its own, so that those of a kernel that overwrites its inputs are compared too. Nothing is
// compared of a kernel whose only output the spec leaves out.
TEST_F(CorunOnOpencl, ComparesWhatEachWorkOfAQueueLeaves) {
  const auto outputs = [&] {
    return on_opencl({"--works", "8", "--policies", "fifo", "add.toml", "scale.toml"}).json()["queue"]["outputs"];
  };
  const nlohmann::json all = outputs();
  EXPECT_EQ(all["compared"], 8);
  EXPECT_EQ(all["not_compared"], nlohmann::json::array());
  EXPECT_EQ(all["differences"], nlohmann::json::array());
  std::string spec = folder_.read("scale.toml");
  folder_.write("scale.toml", spec.insert(spec.find("access"), "compare = \"none\", "));
  const nlohmann::json some = outputs();
  EXPECT_LT(some["compared"], 8);
  EXPECT_THAT(some["not_compared"].dump(), HasSubstr(" of scale"));
}

// Every third launch of this kernel has a wrong output: it counts launches in a buffer that it should only read. The
// last work of a queue would hide the outputs of those before it.
TEST_F(CorunOnOpencl, FindsAWorkInTheMiddleOfAQueueThatFails) {
  folder_.write("fails.cl",
                "__kernel void fails(__global int* launches, __global int* out) {\n"
                "  out[get_global_id(0)] = launches[0] % 3 == 1 ? 7 : 5;\n"
                "  if (get_global_id(0) == get_global_size(0) - 1) launches[0] += 1;\n}\n");
  folder_.write("fails.toml",
                "[kernel]\nfile = \"fails.cl\"\nfunction = \"fails\"\narguments = [\n"
                "  { name = \"launches\", type = \"int*\", length = \"1\", fill = \"constant\" },\n"
                "  { name = \"out\", type = \"int*\", length = \"64\", access = \"write\" },\n]\n"
                "[launch]\nglobal = [\"64\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  const Finished finished = on_opencl({"--works", "12", "--policies", "fifo", "fails.toml", "add.toml"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.json()["queue"]["outputs"]["differences"].dump(),
              testing::ContainsRegex("fifo, work [0-9]+ of fails: `out` differs from byte"));
}

TEST_F(CorunOnOpencl, RoundsOrdersAndIntervalsAreInTheDocument) {
  const Finished finished = corun({"--works", "6", "--policies", "split,paired", "add.toml", "scale.toml", "--device",
                                   "opencl:0:0", "--repeats", "3", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json queue = finished.json()["queue"];
  ASSERT_EQ(queue["policies"].size(), 4U);  // these, streams and the control
  ASSERT_EQ(queue["orders"].size(), 3U);
  const nlohmann::json& verdict = queue["verdict"];
  for (const nlohmann::json& policy : queue["policies"]) {
    EXPECT_EQ(policy["makespans_ms"].size(), 3U);
    for (const nlohmann::json& order : queue["orders"]) EXPECT_THAT(order, testing::Contains(policy["policy"]));
    EXPECT_EQ(policy["gain_interval"].is_null(), verdict["withheld"].is_string());
    EXPECT_EQ(policy["piloted"], policy["policy"] == "paired");
  }
  const double off = std::abs(verdict["control"]["off"].get<double>());
  EXPECT_EQ(off > verdict["control"]["limit"].get<double>(), verdict["withheld"].is_string());
  EXPECT_TRUE(verdict["fastest"].is_null() || verdict["interval"][0] > 0.0) << verdict.dump();
}

TEST_F(CorunOnOpencl, ATableSaysWhichPolicyHadNoPilots) {
  const Finished finished = corun({"--works", "6", "--policies", "split,paired", "add.toml", "scale.toml", "--device",
                                   "opencl:0:0", "--repeats", "1"});
  EXPECT_THAT(finished.out, HasSubstr("\nsplit had no pilots: it plans by runs of each kernel alone.\n"));
  EXPECT_THAT(finished.out, testing::Not(HasSubstr("paired had no pilots")));
}

TEST_F(CorunOnOpencl, TheBestWaysOfAPairRunAgainInTurns) {
  const Finished finished = corun({"add.toml", "scale.toml", "--device", "opencl:0:0", "--repeats", "2", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json pair = finished.json()["pairs"][0];
  const nlohmann::json& rerun = pair["rerun"];
  ASSERT_GE(rerun["entrants"].size(), 4U);  // alone, in turn, the best shares, `paired`
  EXPECT_EQ(rerun["entrants"].front(), "alone");
  EXPECT_EQ(rerun["entrants"].back(), "planned");
  EXPECT_EQ(rerun["orders"].size(), 2U);
  for (const nlohmann::json& times : rerun["makespans_ms"]) EXPECT_EQ(times.size(), 2U);
  EXPECT_EQ(pair["rows"][0]["makespans_ms"].size(), 2U);
  EXPECT_EQ(pair["rows"][0]["interval"].size(), 2U);
  EXPECT_EQ(pair["alone_by_round_ms"][1].size(), 2U);
  const nlohmann::json& verdict = pair["verdict"];
  EXPECT_EQ(verdict["gain"].is_null(), verdict["withheld"].is_string());
  EXPECT_EQ(finished.json()["planned"]["least"].is_null(), verdict["withheld"].is_string());
}

TEST_F(CorunOnOpencl, RunsTheBestConfigurationOfAJournal) {
  ASSERT_EQ(run_wattune(folder_, quick({"tune", "add.toml", "--device", "opencl:0:0"})).status, 0);
  EXPECT_EQ(on_opencl({"add.toml@add.journal.jsonl", "add.toml@k=1", "--works", "2", "--policies", "fifo"}).status, 0);
  EXPECT_THAT(refused({"add.toml@none.jsonl", "scale.toml", "--device", "opencl:0:0"}), HasSubstr("none.jsonl"));
  EXPECT_THAT(refused({"add.toml@k=9", "scale.toml", "--device", "opencl:0:0"}),
              HasSubstr("add.toml@: k has no such value: `9`"));
  EXPECT_THAT(refused({"none.toml", "scale.toml", "--device", "opencl:0:0"}), HasSubstr("none.toml"));
}

TEST_F(CorunOnOpencl, RefusesASpecOfAnotherLanguage) {
  folder_.write("k.cu", "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] = 1; }\n");
  folder_.write("k.toml",
                "[kernel]\nfile = \"k.cu\"\nfunction = \"f\"\narguments = [\n"
                "  { name = \"x\", type = \"float*\", length = \"64\", access = \"write\" },\n]\n"
                "[launch]\nglobal = [\"64\"]\nlocal = [\"64\"]\n[parameters]\nk = [1]\n");
  EXPECT_THAT(refused({"add.toml", "k.toml", "--device", "opencl:0:0"}), HasSubstr("k: the kernel is written"));
  EXPECT_THAT(refused({"add.toml", "scale.toml", "--device", "opencl:7:0"}), HasSubstr("opencl:7:0"));
}

}  // namespace
}  // namespace wattune::cli_test
