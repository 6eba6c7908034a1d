// Budgets on recorded spaces of the benchmark hub, compared with those of the published program, if the data are here.
#include <gtest/gtest.h>

#include <filesystem>

#include "score/interface/baseline.h"
#include "source_dir.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::score {
namespace {

struct Expected {
  const char* file;
  std::size_t valid;
  std::uint64_t evaluations;  // number that random search needs to reach the cutoff
  double median_cost;         // in seconds
};

// The program's formulas give these values on the same files; 1.1 times their product are the budgets of its runs.
class SharedData : public testing::TestWithParam<Expected> {};

TEST_P(SharedData, HasThePublishedBudget) {
  const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/hub/cache" / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the recorded data are not here: " << GetParam().file;
  const auto results = store::load_results(file);
  if (!results && results.error().code() == ErrorCode::unavailable) GTEST_SKIP() << results.error().to_string();
  ASSERT_TRUE(results) << results.error().to_string();
  const auto baseline = Baseline::of(results->trials, tune::ReplayClock::recorded);
  ASSERT_TRUE(baseline) << baseline.error().to_string();
  EXPECT_EQ(baseline->valid(), GetParam().valid);
  EXPECT_EQ(baseline->evaluations_to(kEndShare), GetParam().evaluations);
  EXPECT_NEAR(baseline->median_cost(), GetParam().median_cost, 6e-4);
}

INSTANTIATE_TEST_SUITE_P(Score, SharedData,
                         testing::Values(Expected{"convolution_milo__A100.json.xz", 4201, 1050, 2.404},
                                         Expected{"convolution_milo__A4000.json.xz", 4201, 323, 2.421},
                                         Expected{"convolution_milo__MI250X.json.xz", 4362, 51, 1.632},
                                         Expected{"convolution_milo__W6600.json.xz", 4362, 8, 2.764},
                                         Expected{"dedispersion_milo__A100.json.xz", 11130, 795, 3.179},
                                         Expected{"dedispersion_milo__A4000.json.xz", 11130, 265, 6.288},
                                         Expected{"dedispersion_milo__MI250X.json.xz", 11130, 371, 4.644}),
                         [](const testing::TestParamInfo<Expected>& test) {
                           return std::filesystem::path(test.param.file).stem().stem().string();
                         });

}  // namespace
}  // namespace wattune::score
