// Tests how much `paired` loses if forecasts are 20 % off and blocks differ by 20 %, against the best policy without
// forecasts. Pairs of Kernelet's kernels that compute run on a part of a simulated C2050.
#include "lab/perf/wrong_forecasts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wattune::perf {
namespace {

constexpr double kError = 0.2;
constexpr double kVariation = 0.2;

class WrongForecasts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    gpu = simulate::with_sms(*simulate::find_gpu_model("C2050"), 4);
    kernels = profiled(gpu, kKernelSets.front(), 8, kVariation);
  }
  static TwoKernels pair(std::size_t first, std::size_t second, std::size_t works) {
    return {gpu, {kernels[first], kernels[second]}, works};
  }

  static inline simulate::GpuModel gpu;
  static inline std::vector<schedule::ProfiledKernel> kernels;
};

TEST_F(WrongForecasts, CostLessThanOnePercentInTheMean) {
  const auto told = false_forecasts(kError);
  std::vector<double> lost(told.size());
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j, ++pairs) {
      const TwoKernels two = pair(i, j, 8);
      const Nanoseconds baseline = two.baseline();
      for (std::size_t k = 0; k < told.size(); ++k)
        lost[k] += std::max(0.0, two.paired(told[k].falsify) / baseline - 1.0);
    }
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_LT(lost[k] / static_cast<double>(pairs), 0.01) << told[k].name;
}

// BS with MRIQ gain nothing. A pair that is told to gain is parted, so that 24 works of each lose hardly more than 8.
TEST_F(WrongForecasts, AreCorrectedWithinFewWorks) {
  const auto lost = [](std::size_t works) {
    const TwoKernels two = pair(0, 3, works);
    return to_ms(two.paired([](double rate) { return rate * (1.0 + kError); }) - two.baseline());
  };
  ASSERT_EQ(pair(0, 3, 1).name(), "BS, MRIQ");
  EXPECT_LT(lost(24), 1.5 * lost(8));
}

}  // namespace
}  // namespace wattune::perf
