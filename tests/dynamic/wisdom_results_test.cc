#include <gtest/gtest.h>

#include "dynamic/wisdom_support.h"
#include "tune/interface/describe_run.h"

namespace wattune::inline v0_1::dynamic {
namespace {

KernelSpec gemm_spec() {
  KernelSpec spec;
  spec.source = {.function = "gemm", .text = "kernel void gemm()"};
  spec.problem_size = {{"m", 16}, {"n", 32}};
  spec.parameters = {{.name = "block", .values = {8, 16}}, {.name = "mode", .values = {"fast", "exact"}}};
  return spec;
}

Trial trial_of(int block, double time) {
  Trial trial;
  trial.configuration = block_of(block);
  trial.finished_at = second_of_2026(5);
  trial.observation.samples = {{Nanoseconds(time - 3)}, {Nanoseconds(time)}, {Nanoseconds(time + 4)}};
  trial.observation.statistics = Statistics{Nanoseconds(time), Nanoseconds(time - 1), Nanoseconds(time + 2),
                                            Nanoseconds(time), Nanoseconds(time - 3), 0.95};
  return trial;
}

// Returns a run of the spec at m = 64, n = 96, in which the second Trial is the best.
ResultSet run_of(const KernelSpec& spec) {
  ResultSet results;
  const auto space = space::SearchSpace::build(spec.parameters, {}).value();
  results.info = tune::describe_run(spec, space, device_named("A GPU", "sm_90"));
  results.info.problem_size = "64x96";
  results.trials = {trial_of(8, 200), trial_of(16, 100)};
  return results;
}

TEST(WisdomFromResults, IsTheBestConfigurationAtTheSizesOfTheRun) {
  const std::vector<WisdomEntry> entries = entries_from(run_of(gemm_spec()), gemm_spec()).value();
  ASSERT_EQ(entries.size(), 1u);
  const WisdomEntry& entry = entries[0];
  EXPECT_EQ(entry.kernel, version_of(gemm_spec()));
  EXPECT_EQ(entry.device, "A GPU");
  EXPECT_EQ(entry.architecture, "sm_90");
  EXPECT_EQ(to_string(entry.key), "m=64, n=96");
  EXPECT_EQ(entry.configuration.to_string(), "block=16, mode=fast");
  EXPECT_EQ(entry.time, Nanoseconds(100));
  EXPECT_EQ(entry.low, Nanoseconds(99));
  EXPECT_EQ(entry.high, Nanoseconds(102));
  EXPECT_EQ(entry.samples, 3u);
  EXPECT_EQ(entry.measured, Measured::offline);
  EXPECT_EQ(entry.measured_at, second_of_2026(5));
}

TEST(WisdomFromResults, WithoutAKnownIntervalReachesAsFarAsTheSamples) {
  ResultSet results = run_of(gemm_spec());
  results.trials[1].observation.statistics->confidence.reset();
  const WisdomEntry entry = entries_from(results, gemm_spec()).value().at(0);
  EXPECT_EQ(entry.low, Nanoseconds(97));
  EXPECT_EQ(entry.high, Nanoseconds(104));
}

TEST(WisdomFromResults, OfAnotherProgramNeedOnlyTheParameters) {
  ResultSet results = run_of(gemm_spec());
  results.info.identity.clear();
  results.info.problem_size = "(64, 96)";
  EXPECT_EQ(to_string(entries_from(results, gemm_spec()).value().at(0).key), "m=64, n=96");
  results.info.problem_size.clear();
  EXPECT_EQ(to_string(entries_from(results, gemm_spec()).value().at(0).key), "m=16, n=32");
}

std::string refusal(const ResultSet& results, const KernelSpec& spec) {
  const auto entries = entries_from(results, spec);
  return entries ? "" : entries.error().message();
}

TEST(WisdomFromResults, ThatAreOfSomethingElseAreRefused) {
  const ResultSet good = run_of(gemm_spec());
  KernelSpec edited = gemm_spec();
  edited.source.text += "//";
  EXPECT_EQ(refusal(good, edited), "the results for A GPU are of another version of the kernel");
  ResultSet changed = good;
  changed.info.problem_size = "64";
  EXPECT_EQ(refusal(changed, gemm_spec()), "the results for A GPU have other sizes than the kernel");
  changed = good;
  changed.trials[1].configuration = block_of(64);
  EXPECT_EQ(refusal(changed, gemm_spec()), "the results for A GPU have other parameters than the kernel");
  changed = good;
  changed.info.device.kind = DeviceKind::simulated;
  EXPECT_EQ(refusal(changed, gemm_spec()), "the results for A GPU were replayed, not measured");
  changed = good;
  changed.info.objectives = {{.metric = "energy"}};
  EXPECT_EQ(refusal(changed, gemm_spec()),
            "the results for A GPU were searched for another objective than the least time");
}

TEST(WisdomFromResults, WithoutACorrectConfigurationIsNothing) {
  ResultSet results = run_of(gemm_spec());
  results.trials.clear();
  EXPECT_TRUE(entries_from(results, gemm_spec()).value().empty());
}

TEST(ResultsFromWisdom, HaveATrialForEachEntry) {
  const std::vector<ResultSet> results =
      results_from({entry_of({{"m", 64}, {"n", 96}}, 16, 100), entry_of({{"m", 1}, {"n", 2}}, 8, 50)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].info.problem_size, "64x96");
  EXPECT_EQ(results[0].info.device.name, "A GPU");
  ASSERT_NE(results[1].best(), nullptr);
  EXPECT_EQ(results[1].best()->configuration, block_of(8));
}

}  // namespace
}  // namespace wattune::dynamic
