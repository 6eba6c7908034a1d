// Files that other programs wrote on real GPUs, if they are at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "source_dir.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

struct Expected {
  const char* file;
  std::map<Status, int> by_status;
  double best_ms;
};
void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

class SharedData : public testing::TestWithParam<Expected> {};

TEST_P(SharedData, IsReadCompletely) {
  const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data" / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the recorded data are not here: " << GetParam().file;
  const auto results = load_results(file);
  if (!results && results.error().code() == ErrorCode::unavailable) GTEST_SKIP() << results.error().to_string();
  ASSERT_TRUE(results) << results.error().to_string();
  std::map<Status, int> by_status;
  for (const Trial& trial : results->trials) ++by_status[trial.observation.status];
  EXPECT_EQ(by_status, GetParam().by_status);
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& trial : results->trials)
    if (trial.observation.ok()) least = std::min(least, trial.observation.statistics->median.value());
  EXPECT_NEAR(least * 1e-6, GetParam().best_ms, 5e-7);
  const bool by_time = results->info.objectives.empty();
  EXPECT_EQ(results->best()->observation.objective() == least, by_time);
}

// Counts and minima as Python's json module finds them in the same files.
INSTANTIATE_TEST_SUITE_P(
    Store, SharedData,
    testing::Values(
        Expected{"hub/cache/convolution_milo__A100.json.xz",
                 {{Status::correct, 4201}, {Status::runtime, 155}, {Status::compile, 6}},
                 0.553600},
        Expected{"hub/t4/convolution_milo__A100_T4.json.xz",
                 {{Status::correct, 4201}, {Status::runtime, 155}, {Status::compile, 6}},
                 0.553600},
        Expected{"kt_a4000_energy_noise/expdist__A4000_energy.json.xz",
                 {{Status::correct, 1505}, {Status::compile, 1380}},
                 368.739987},
        Expected{"energy_ada4000_wmma/wmma_complex_gemm__RTX4000Ada_energy_clock.json.xz",
                 {{Status::correct, 4690}, {Status::runtime, 430}},
                 6.834752},
        Expected{
            "hub_older/pnpoly__RTX_3060_laptop.json.xz", {{Status::correct, 3774}, {Status::runtime, 318}}, 26.813715},
        Expected{"ktt/coulomb_2080_full_search_space.json.xz", {{Status::correct, 210}}, 0.769696},
        Expected{"ktt/coulomb_2080_full_search_space_converted.json.xz", {{Status::correct, 210}}, 0.769696}),
    [](const testing::TestParamInfo<Expected>& test) {
      return std::filesystem::path(test.param.file).stem().stem().string();
    });

}  // namespace
}  // namespace wattune::store
