#include "model/interface/fused_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

constexpr FusionOptions kWide{.memory_bandwidth = 1000.0};
constexpr FusionOptions kPaper{.memory_bandwidth = 1000.0, .equations = Equations::as_printed};

FusableKernel kernel(double gops, double gigabytes, unsigned blocks = 8) {
  FusableKernel made{.blocks = blocks};
  made.features[Feature::instructions] = gops;
  made.features[Feature::dram_throughput] = gigabytes;
  return made;
}

TEST(Feature, IsKnownByItsName) {
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_EQ(feature_named(to_string(feature)), feature);
  }
  EXPECT_EQ(feature_named("gops"), std::nullopt);
}

// The paper's own example: equal kernels at 5:3 of 8 weigh 5/8 and 3/8 (equation 1).
TEST(Fusion, OfSimilarKernelsIsTheirWeightedSum) {
  const FusedFeatures pair = *fuse(kernel(8, 4), kernel(8, 12), {5, 3}, kWide);
  EXPECT_EQ(pair.alpha, (std::array{1.0, 1.0}));
  EXPECT_EQ(pair.beta, 1.0);
  EXPECT_DOUBLE_EQ(pair.features[Feature::instructions], 8.0);
  EXPECT_DOUBLE_EQ(pair.features[Feature::dram_throughput], 5.0 / 8.0 * 4 + 3.0 / 8.0 * 12);  // 7
}

// GOPS 10 and 2 at 4:4 of 8: together 6, so the first issues 10/6 as fast and the second as before: 10/2 * 10/6 + 2/2.
TEST(Fusion, MakesTheHeavierKernelFaster) {
  const FusedFeatures pair = *fuse(kernel(10, 0), kernel(2, 0), {4, 4}, kWide);
  EXPECT_DOUBLE_EQ(pair.alpha[0], 10.0 / 6.0);
  EXPECT_EQ(pair.alpha[1], 1.0);
  EXPECT_NEAR(pair.features[Feature::instructions], 9.3333, 1e-4);
}

// In the printed equation the lighter kernel gains, 6/2: 5 + 3 * 1.
TEST(Fusion, AsPrintedMakesTheLighterKernelFaster) {
  const FusedFeatures pair = *fuse(kernel(10, 0), kernel(2, 0), {4, 4}, kPaper);
  EXPECT_EQ(pair.alpha, (std::array{1.0, 3.0}));
  EXPECT_DOUBLE_EQ(pair.features[Feature::instructions], 8.0);
}

// 10/6 * 4/8 * 12 GB/s + 4/8 * 30 GB/s are 25, of which the memory serves 20. Without alpha, as printed, they are 21.
TEST(Fusion, StaysWithinTheMemorysBandwidth) {
  const FusedFeatures pair = *fuse(kernel(10, 12), kernel(2, 30), {4, 4}, {.memory_bandwidth = 20.0});
  EXPECT_DOUBLE_EQ(pair.beta, 20.0 / 25.0);
  EXPECT_DOUBLE_EQ(pair.features[Feature::dram_throughput], 20.0);
  const FusedFeatures printed =
      *fuse(kernel(10, 12), kernel(2, 30), {4, 4}, {.memory_bandwidth = 20.0, .equations = Equations::as_printed});
  EXPECT_DOUBLE_EQ(printed.beta, 20.0 / 21.0);
  EXPECT_GT(printed.features[Feature::dram_throughput], 20.0);
}

// Samplerank is saturated by 5 of its 8 blocks: with 5 beside 3 of another kernel its whole bandwidth counts.
TEST(Fusion, CountsAMemoryBoundKernelByTheBlocksThatSaturate) {
  const FusableKernel samplerank =
      kernel(4, 17.5, saturating_blocks(std::array{0.8, 1.6, 2.4, 3.2, 4.0, 4.0, 4.0, 4.0}));
  EXPECT_EQ(samplerank.blocks, 5u);
  EXPECT_DOUBLE_EQ(fuse(samplerank, kernel(4, 0), {5, 3}, kWide)->features[Feature::dram_throughput], 17.5);
}

TEST(SaturatingBlocks, AreTheFewestWithinTheSlack) {
  EXPECT_EQ(saturating_blocks(std::array{0.5, 0.97, 0.99, 1.0}), 3u);
  EXPECT_EQ(saturating_blocks(std::array{0.5, 0.97, 0.99, 1.0}, 0.05), 2u);
  EXPECT_EQ(saturating_blocks({}), 0u);
}

// With 4:4 of 8 and GOPS 10 and 2 the pair does 25/3 and 1 of each. At 5 and 1 operations per joule, one after the
// other takes 5/3 + 1 joules for 28/3: 3.5. In the printed equation the mix is 5 and 1: 6 for 2 joules.
TEST(SequentialEfficiency, WeighsTheWorkThatThePairDoes) {
  const auto of = [](Equations equations) {
    return *sequential_efficiency(kernel(10, 0), kernel(2, 0), {4, 4}, {5.0, 1.0}, equations);
  };
  EXPECT_DOUBLE_EQ(of(Equations::corrected), 3.5);
  EXPECT_DOUBLE_EQ(of(Equations::as_printed), 3.0);
}

struct RandomPair {
  explicit RandomPair(Random& random)
      : first(kernel(0.1 + 20 * random.uniform(), 40 * random.uniform(), 1 + static_cast<unsigned>(random.below(16)))),
        second(kernel(0.1 + 20 * random.uniform(), 40 * random.uniform(), 1 + static_cast<unsigned>(random.below(16)))),
        ratio{1 + static_cast<unsigned>(random.below(first.blocks)),
              1 + static_cast<unsigned>(random.below(second.blocks))} {}

  FusableKernel first, second;
  BlockRatio ratio;
};

TEST(Fusion, NeverSlowsByAlphaNorSpeedsByBeta) {
  Random random(17);
  for (int i = 0; i < 1000; ++i) {
    const RandomPair pair(random);
    const FusedFeatures fused = *fuse(pair.first, pair.second, pair.ratio, {.memory_bandwidth = 28.5});
    EXPECT_GE(fused.alpha[0], 1.0);
    EXPECT_GE(fused.alpha[1], 1.0);
    EXPECT_GT(fused.beta, 0.0);
    EXPECT_LE(fused.beta, 1.0);
    EXPECT_LE(fused.features[Feature::dram_throughput], 28.5 * (1 + 1e-12));
  }
}

TEST(Fusion, DoesNotAskWhichKernelIsFirst) {
  Random random(18);
  for (int i = 0; i < 1000; ++i) {
    const RandomPair pair(random);
    const FusedFeatures one = *fuse(pair.first, pair.second, pair.ratio, {.memory_bandwidth = 28.5});
    const FusedFeatures other =
        *fuse(pair.second, pair.first, {pair.ratio.second, pair.ratio.first}, {.memory_bandwidth = 28.5});
    EXPECT_DOUBLE_EQ(one.alpha[0], other.alpha[1]);
    EXPECT_DOUBLE_EQ(one.beta, other.beta);
    EXPECT_DOUBLE_EQ(one.features[Feature::instructions], other.features[Feature::instructions]);
  }
}

TEST(SequentialEfficiency, LiesBetweenThoseOfBoth) {
  Random random(19);
  for (int i = 0; i < 1000; ++i) {
    const RandomPair pair(random);
    const std::array best = {0.01 + random.uniform(), 0.01 + random.uniform()};
    for (const Equations equations : {Equations::corrected, Equations::as_printed}) {
      const double both = *sequential_efficiency(pair.first, pair.second, pair.ratio, best, equations);
      EXPECT_GE(both, std::min(best[0], best[1]) * (1 - 1e-12));
      EXPECT_LE(both, std::max(best[0], best[1]) * (1 + 1e-12));
    }
  }
}

TEST(Fusion, RefusesKernelsThatCannotBe) {
  EXPECT_THAT(fuse(kernel(1, 1), kernel(1, 1), {0, 4}, kWide).error().to_string(),
              HasSubstr("each kernel needs a block on an SM: `0 of 8`"));
  EXPECT_THAT(fuse(kernel(1, 1), kernel(0, 1), {4, 4}, kWide).error().to_string(),
              HasSubstr("a kernel issues nothing"));
  EXPECT_THAT(fuse(kernel(1, 1), kernel(1, -2), {4, 4}, kWide).error().to_string(),
              HasSubstr("a feature is no number from 0 up: `dram_throughput = -2`"));
  EXPECT_THAT(fuse(kernel(1, 1), kernel(1, 1), {4, 4}, {}).error().to_string(),
              HasSubstr("the GPU has no memory bandwidth: `0 GB/s`"));
  EXPECT_THAT(sequential_efficiency(kernel(1, 1), kernel(1, 1), {4, 4}, {1.0, 0.0}).error().to_string(),
              HasSubstr("a kernel does nothing for a joule: `1 and 0`"));
}

}  // namespace
}  // namespace wattune::model
