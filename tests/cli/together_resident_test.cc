// `wattune tune --together` with blocks that stay resident, on the stand-in for CUDA's driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cuda_stand_ins.h"
#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

class TogetherResident : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("mark.ptx", kMarkPtx);
    for (const char* file : {"mark.toml", "other.toml"}) folder_.write(file, mark_spec("mark.ptx"));
  }
  Finished tune(const std::string& options, const std::string& specs = "--together mark.toml other.toml") {
    return run_with_stand_ins(folder_,
                              "tune " + specs + " --device cuda:0 -q --json --min-samples 1 --max-samples 1 " + options,
                              "WATTUNE_FAKE_CUDA_TIME=host");
  }

  TempFolder folder_;
};

// Each kernel has four values. A multiprocessor of the stand-in holds 2,048 threads, but no more than 32 blocks.
TEST_F(TogetherResident, BlocksAreParametersOfTheJointSpace) {
  const Finished finished = tune("--resident-blocks 1,32,33 --strategy exhaustive --finalists 0");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["valid"], 16);
  EXPECT_EQ(document["by_status"]["correct"], 9);
  EXPECT_EQ(document["by_status"]["constraints"], 7);  // 33 of either
  EXPECT_TRUE(document["best"]["configuration"].contains("other.resident_blocks"));
  EXPECT_EQ(document["together"]["kernels"][0]["configuration"], nlohmann::json({{"k", 1}}));
  EXPECT_EQ(document["together"]["kernels"][1]["resident_blocks"],
            document["best"]["configuration"]["other.resident_blocks"]);
  EXPECT_THAT(folder_.read("mark+other.journal.jsonl"),
              HasSubstr("mark: a multiprocessor holds 32 of its blocks, not 33"));
}

TEST_F(TogetherResident, WalksGoOnOverThem) {
  const Finished finished = tune("--resident-blocks 1 --evaluations 4 --finalists 0");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["strategy"], "walk+auto");
  EXPECT_EQ(finished.json()["by_status"]["correct"], 4);
}

// A walk leaves k at 2 if there are too many values to try, so that each kernel's best alone is the same then. The
// ratios of these come before the search, and a stop rule ends it. Five of the nine ratios of
// blocks have 33 blocks and are skipped, so that four are evaluated.
TEST_F(TogetherResident, ComparesWithEachAtItsBestAloneAtTheBestRatio) {
  std::string values = "k = { values = [1";
  for (int k = 2; k <= 100; ++k) values += ", " + std::to_string(k);
  for (const char* file : {"mark.toml", "other.toml"}) {
    std::string spec = mark_spec("mark.ptx");
    spec.replace(spec.find("k = [1]"), 7, values + "], default = 2 }");
    folder_.write(file, spec);
  }
  const Finished finished = tune("--resident-blocks 1,33 --evaluations 4 --finalists 1");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["evaluated"], 4);
  EXPECT_GT(document["skipped"], 0);
  const nlohmann::json& together = document["together"];
  EXPECT_EQ(together["tuned_alone"]["ratios"], 4);  // 0 and 1 of each
  EXPECT_EQ(together["tuned_alone"]["configuration"]["mark.k"], 2);
  EXPECT_GT(together["in_turn_ms"], 0.0);
}

// Each kernel has one configuration, so that only ratios are searched.
TEST_F(TogetherResident, SaysWhichRatiosThatIsTheBestOf) {
  const Finished finished = run_with_stand_ins(folder_,
                                               "tune --together mark.toml other.toml --device cuda:0 -q --min-samples "
                                               "1 --max-samples 1 --resident-blocks 1 --finalists 1",
                                               "WATTUNE_FAKE_CUDA_TIME=host");
  EXPECT_THAT(finished.out, HasSubstr("Each at its best alone, one after the other they take "));
  EXPECT_THAT(finished.out, HasSubstr("Each at its best alone, at the best of 4 ratios"));
}

TEST_F(TogetherResident, PartnersHaveNone) {
  const Finished finished = tune("--resident-blocks 1 --partner other.toml --finalists 0", "mark.toml");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["valid"], 2);
  EXPECT_EQ(finished.json()["by_status"]["correct"], 2);
}

TEST_F(TogetherResident, KernelsWithoutATwinHaveNoResidentBlocks) {
  write_scale(folder_);
  const Finished finished =
      tune("--resident-blocks 1 --strategy exhaustive --finalists 0", "--together mark.toml scale.toml");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["by_status"]["correct"], 6);  // three blocks of scale, mark with 0 and 1
  EXPECT_EQ(finished.json()["by_status"]["constraints"], 6);
  EXPECT_THAT(folder_.read("mark+scale.journal.jsonl"),
              HasSubstr("scale: the blocks of this kernel cannot stay resident"));
}

TEST_F(TogetherResident, RefusesWhatSaysNothing) {
  EXPECT_THAT(tune("--resident-blocks 0").err, HasSubstr("must be at least 1 and all different: `0`"));
  EXPECT_THAT(tune("--resident-blocks 2,2").err, HasSubstr("must be at least 1 and all different: `2`"));
  EXPECT_THAT(tune("--resident-blocks 1 --strategy walk").err,
              HasSubstr("a walk leaves resident blocks as they are: `walk`"));
}

}  // namespace
}  // namespace wattune::cli_test
