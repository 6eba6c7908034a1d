#include "wattune/model/pair_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::ElementsAre;

// Table 4 of Kernelet, C2050: PC, SAD, SPMV, ST, MM, MRIQ, BS, TEA.
constexpr std::array<Utilisation, 8> kC2050 = {{{0.0096, 0.1404},
                                                {0.1498, 0.1120},
                                                {0.3464, 0.003},
                                                {0.3629, 0.1156},
                                                {0.5804, 0.0161},
                                                {0.8539, 0.0002},
                                                {0.8642, 0.0604},
                                                {0.9978, 0.0196}}};

// Table 6: the number of pruned pairs, for alpha_m = 0.015 to 0.15 in the rows and alpha_p = 0.1 to 1 in the columns.
constexpr std::array<std::array<int, 10>, 10> kPruned = {{{0, 0, 2, 2, 3, 4, 4, 4, 4, 4},
                                                          {0, 2, 5, 6, 7, 8, 9, 9, 9, 9},
                                                          {0, 3, 7, 8, 9, 10, 11, 11, 11, 11},
                                                          {1, 4, 8, 9, 12, 13, 15, 15, 15, 15},
                                                          {1, 4, 8, 9, 12, 13, 15, 15, 15, 15},
                                                          {1, 4, 8, 9, 12, 13, 15, 15, 16, 16},
                                                          {1, 4, 9, 10, 14, 15, 18, 18, 20, 20},
                                                          {2, 6, 11, 12, 17, 18, 21, 22, 24, 24},
                                                          {2, 6, 11, 12, 17, 19, 22, 23, 25, 26},
                                                          {2, 6, 11, 13, 18, 20, 23, 24, 27, 28}}};

int cells_that_match(std::span<const Utilisation> kernels) {
  int matching = 0;
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t column = 0; column < 10; ++column) {
      const PruningThresholds thresholds{0.1 * static_cast<double>(column + 1), 0.015 * static_cast<double>(row + 1)};
      const auto pruned = 28 - static_cast<int>(distinct_pairs(kernels, thresholds).size());
      matching += pruned == kPruned[row][column] ? 1 : 0;
    }
  }
  return matching;
}

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

// With table 4's digits 78 of 100 cells agree; with two decimals of PUR and three of MUR 92 do.
TEST(DistinctPairs, AreThoseOfThePapersTable6) {
  EXPECT_EQ(cells_that_match(kC2050), 78);
  auto fewer_digits = kC2050;
  for (auto& [pipeline, memory] : fewer_digits) {
    pipeline = rounded(pipeline, 0.01);
    memory = rounded(memory, 0.001);
  }
  EXPECT_GE(cells_that_match(fewer_digits), 92);
}

TEST(DistinctPairs, KeepEighteenAtThePapersDefaults) {
  EXPECT_EQ(distinct_pairs(kC2050, {.pipeline = 0.4, .memory = 0.1}).size(), 18u);
  double pipeline = 0.0;
  for (const Utilisation& each : kC2050) pipeline += each.pipeline / 8.0;
  EXPECT_NEAR(pipeline, 0.5206, 5e-5);
}

// CI keeps 1 pair, MI 3, MIX 4.
TEST(DistinctPairs, KeepSomeOfEachWorkload) {
  const auto kept = [](std::initializer_list<std::size_t> places) {
    std::vector<Utilisation> kernels;
    for (const std::size_t place : places) kernels.push_back(kC2050[place]);
    return distinct_pairs(kernels, {}).size();
  };
  EXPECT_EQ(kept({6, 4, 7, 5}), 1u);
  EXPECT_EQ(kept({0, 2, 3, 1}), 3u);
  EXPECT_EQ(kept({0, 6, 7, 1}), 4u);
}

// Differences are 0.15 and 0.05. The pair is pruned at 0.4 and 0.1, and at half of these; a quarter of them keeps it.
TEST(PromisingPairs, HalveTheThresholdsUntilOneIsLeft) {
  const std::array<Utilisation, 2> alike = {{{0.5, 0.1}, {0.65, 0.15}}};
  EXPECT_TRUE(distinct_pairs(alike, {}).empty());
  EXPECT_THAT(promising_pairs(alike, {}), ElementsAre(Pair{0, 1}));
  const std::array<Utilisation, 2> equal = {{{0.5, 0.1}, {0.5, 0.1}}};
  EXPECT_THAT(promising_pairs(equal, {}), ElementsAre(Pair{0, 1}));
  EXPECT_TRUE(promising_pairs({}, {}).empty());
}

// The thresholds of the paper's kernels keep the pairs that the paper's thresholds keep.
TEST(ThresholdsOf, KeepThePapersPairsOnItsKernels) {
  EXPECT_EQ(distinct_pairs(kC2050, thresholds_of(kC2050)), distinct_pairs(kC2050, {}));
  EXPECT_DOUBLE_EQ(thresholds_of({}).pipeline, 0.4);
}

Nanoseconds ms(double time) { return nanoseconds_from_ms(time); }

// (0.85, 0.30) and (0.25, 0.85): the memory is busy for 1.15 of 2. Two that compute with 0.85: the pipe for 1.7 of 2.
TEST(PackingBound, IsOfTheBusiestResource) {
  EXPECT_NEAR(packing_bound(std::array{SoloRun{ms(20), {0.85, 0.30}}, SoloRun{ms(20), {0.25, 0.85}}}), 1.74, 0.005);
  EXPECT_NEAR(packing_bound(std::array{SoloRun{ms(20), {0.85}}, SoloRun{ms(20), {0.85}}}), 1.18, 0.005);
}

// 10 ms beside 30 ms that use nothing: 40 / 30, since the longer kernel takes its time.
TEST(PackingBound, KnowsThatNoKernelGetsFaster) {
  EXPECT_DOUBLE_EQ(packing_bound(std::array{SoloRun{ms(10), {}}, SoloRun{ms(30), {0.1}}}), 40.0 / 30.0);
  EXPECT_DOUBLE_EQ(packing_bound({}), 1.0);
}

TEST(SpatialBound, IsWhatTheSmsLeave) {
  EXPECT_DOUBLE_EQ(spatial_bound(0.25), 1.75);
  EXPECT_DOUBLE_EQ(spatial_bound(1.0), 1.0);
}

// 1.2 measured of 1.5 predicted: 0.8. Then 1.5 of 1.5: 0.8 + 0.25 * 0.2.
TEST(PairCorrection, FollowsWhatIsMeasured) {
  PairCorrection correction(0.25);
  EXPECT_EQ(correction.factor("a", "b"), 1.0);
  correction.observe("a", "b", 1.5, 1.2);
  EXPECT_DOUBLE_EQ(correction.factor("b", "a"), 0.8);
  correction.observe("b", "a", 1.5, 1.5);
  EXPECT_DOUBLE_EQ(correction.factor("a", "b"), 0.85);
  correction.observe("a", "b", 0.0, 1.5);
  EXPECT_DOUBLE_EQ(correction.factor("a", "b"), 0.85);
  EXPECT_EQ(correction.factor("a", "c"), 1.0);
}

// Table 4's occupancies follow from the blocks of the kernels (registers are ours).
TEST(Occupancy, IsThatOfKerneletsKernels) {
  const auto fractions = [](const BlockDemand& block) {
    return std::pair(occupancy({2, 0}, block)->fraction, occupancy({3, 0}, block)->fraction);
  };
  EXPECT_EQ(fractions({.threads = 256, .registers = 20}), std::pair(1.0, 1.0));          // PC, SPMV
  EXPECT_EQ(fractions({.threads = 32, .registers = 32}), std::pair(8.0 / 48.0, 0.25));   // SAD
  EXPECT_EQ(fractions({.threads = 128, .registers = 32}), std::pair(32.0 / 48.0, 1.0));  // ST, BS, TEA
  EXPECT_EQ(fractions({.threads = 256, .registers = 32}), std::pair(32.0 / 48.0, 1.0));  // MM
  EXPECT_EQ(fractions({.threads = 256, .registers = 24}), std::pair(40.0 / 48.0, 1.0));  // MRIQ
}

}  // namespace
}  // namespace wattune::model
