// `--device cuda:all` and lists of devices, with stand-ins for the CUDA libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "cli/cuda_stand_ins.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr auto kTwo = "WATTUNE_FAKE_CUDA_DEVICES='Stand-in GPU,Stand-in GPU'";
constexpr auto kMixed = "WATTUNE_FAKE_CUDA_DEVICES='Large GPU,Small GPU,Large GPU'";
constexpr auto kQuick = " --min-samples 2 --max-samples 2 --warm-up 0s --compile-jobs 2";

// A spec with 12 configurations: 3 blocks, each of 4 kinds that are equal.
class SeveralGpus : public testing::Test {
 protected:
  void SetUp() override {
    write_scale(folder_);
    std::string spec = kScaleSpec;
    spec.insert(spec.find("[reference]"), "kind = [0, 1, 2, 3]\n");
    folder_.write("scale.toml", spec);
  }
  Finished tune(const std::string& options, const std::string& variables = kTwo) {
    return run_with_stand_ins(folder_, "tune scale.toml " + options + kQuick, variables);
  }
  std::size_t count(const std::string& text, const std::string& journal = "scale.journal.jsonl") {
    const std::string contents = folder_.read(journal);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = contents.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  TempFolder folder_;
};

TEST_F(SeveralGpus, ShareOneSpaceOnePoolAndOneJournal) {
  const Finished finished = tune("--device cuda:all --json --quiet --finalists 0");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["by_status"]["correct"], 12);
  EXPECT_EQ(json["pipeline"]["compiled"], 12);
  EXPECT_EQ(json["best"]["configuration"]["block"], 32);
  ASSERT_THAT(json["devices"], SizeIs(2));
  EXPECT_EQ(json["devices"][0]["selector"], "cuda:0");
  EXPECT_EQ(json["devices"][1]["selector"], "cuda:1");
  EXPECT_TRUE(json["devices"][1]["lost"].is_null());
  EXPECT_EQ(json["devices"][0]["evaluated"].get<int>() + json["devices"][1]["evaluated"].get<int>(), 12);
  EXPECT_GE(json["devices"][0]["evaluated"], 1);
  EXPECT_EQ(count(R"("device":"cuda:1")"), json["devices"][1]["evaluated"].get<std::size_t>());
  EXPECT_EQ(count("\n"), 13u);
  EXPECT_EQ(count(R"("clocks_mhz":)"), 12u);  // by the sensors of either
}

TEST_F(SeveralGpus, MayBeListed) {
  const Finished finished = tune("--device cuda:0,cuda:2", "WATTUNE_FAKE_CUDA_DEVICES=A,B,A");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("scale on A (cuda:0, cuda:2)"));
  EXPECT_THAT(finished.err, HasSubstr("devices "));
  EXPECT_THAT(finished.out, HasSubstr(" A (cuda:0): "));
  EXPECT_THAT(finished.out, HasSubstr(" A (cuda:2): "));
}

TEST_F(SeveralGpus, TheFinalRunsOnTheFirst) {
  ASSERT_EQ(tune("--device cuda:all --quiet").status, 0);
  EXPECT_GE(count(R"("final":)"), 2u);
  const std::string journal = folder_.read("scale.journal.jsonl");
  const std::string finals = journal.substr(journal.find(R"("final":)"));
  EXPECT_THAT(finals, HasSubstr(R"("device":"cuda:0")"));
  EXPECT_THAT(finals, Not(HasSubstr(R"("device":"cuda:1")")));
}

TEST_F(SeveralGpus, AnInterruptedSearchGoesOnWithThemOrWithOne) {
  const std::string options = "--json --quiet --finalists 0 --resume ";
  EXPECT_EQ(tune(options + "--device cuda:all --evaluations 5").json()["evaluated"], 5);
  EXPECT_EQ(tune(options + "--device cuda:all --evaluations 9").json()["evaluated"], 4);
  const auto rest = tune(options + "--device cuda:1").json();
  EXPECT_EQ(rest["resumed"], 9);
  EXPECT_EQ(rest["evaluated"], 3);
  EXPECT_EQ(count("\n"), 13u);
}

// Each configuration runs for 0.1 s of the host's time. Otherwise one device could search all of them before the other
// has begun.
TEST_F(SeveralGpus, OneThatFallsOffTheBusLeavesTheOtherGoing) {
  const Finished finished = run_with_stand_ins(
      folder_, "tune scale.toml --device cuda:all --min-samples 2 --max-samples 2 --warm-up 100ms --compile-jobs 2",
      std::string(kTwo) + " WATTUNE_FAKE_CUDA_LOST=lost WATTUNE_FAKE_CUDA_TIME=host");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("cuda:1 was lost, the others go on: the device cannot be brought back"));
  EXPECT_THAT(finished.out, HasSubstr("% busy, lost: the device cannot be brought back"));
  EXPECT_EQ(count(R"("message":"cuda:1 was lost: )"), 1u);
  EXPECT_THAT(finished.out, HasSubstr(" 12 configurations in "));
  EXPECT_THAT(finished.out, HasSubstr("1 runtime"));
}

TEST_F(SeveralGpus, ModelsAreTunedApartOnlyWhenAskedFor) {
  const Finished refused = tune("--device cuda:all", kMixed);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("different models: Large GPU (cuda:0, cuda:2), Small GPU (cuda:1)"));
  EXPECT_THAT(refused.err, HasSubstr("--mixed-devices"));
  EXPECT_FALSE(folder_.has("scale.journal.jsonl"));

  const Finished apart = tune("--device cuda:all --mixed-devices --finalists 0", kMixed);
  ASSERT_EQ(apart.status, 0) << apart.err;
  EXPECT_FALSE(folder_.has("scale.journal.jsonl"));
  EXPECT_EQ(count("\n", "scale.Large-GPU.journal.jsonl"), 13u);
  EXPECT_EQ(count("\n", "scale.Small-GPU.journal.jsonl"), 13u);
  EXPECT_GE(count(R"("device":"cuda:2")", "scale.Large-GPU.journal.jsonl"), 1u);

  EXPECT_EQ(tune("--device cuda:all --mixed-devices", kMixed).status, 2);  // results exist
}

TEST_F(SeveralGpus, AreRefusedWhereOneIsNeeded) {
  const Finished run = run_with_stand_ins(folder_, "run scale.toml --device cuda:all", kTwo);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("one device is needed, and this name stands for 2: `cuda:all`"));
  EXPECT_EQ(run_with_stand_ins(folder_, "run scale.toml --device cuda:all").status, 0);
  EXPECT_THAT(tune("--device cuda:1,cuda:1").err, HasSubstr("device `cuda:1` is named twice"));
  EXPECT_THAT(tune("--device cuda:0,cuda:7").err, HasSubstr("no device `cuda:7`"));
}

TEST_F(SeveralGpus, ControlCLeavesResultsAndNoProcesses) {
  std::string spec = folder_.read("scale.toml");
  std::string kinds;
  for (int kind = 1; kind < 1000; ++kind) kinds += "," + std::to_string(kind);
  folder_.write("scale.toml", spec.replace(spec.find(", 1, 2, 3"), 9, kinds));
  const StandInsForPrograms stand_ins(2);
  RunningProgram program(folder_, {"tune", "scale.toml", "--device", "cuda:all", "--json", "--quiet",
                                   "--no-compile-cache", "--compile-jobs", "1"});
  ASSERT_TRUE(program.wait_until([this] { return folder_.has("scale.journal.jsonl") && count("\n") >= 2; }));
  const std::vector<pid_t> processes = program.children();
  EXPECT_GE(processes.size(), 2u);
  kill(program.pid(), SIGINT);
  const Finished finished = program.wait();
  ASSERT_EQ(finished.status, 130) << finished.err;
  EXPECT_EQ(finished.json()["stop_reason"], "cancelled");
  EXPECT_EQ(count("\n"), finished.json()["evaluated"].get<std::size_t>() + 1);
  EXPECT_TRUE(std::ranges::all_of(processes, gone));
}

}  // namespace
}  // namespace wattune::cli_test
