#include <gtest/gtest.h>

#include <cmath>

#include "wattune/core/random.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {
namespace {

// Returns the samples n, n-1, ..., 1. The k-th order statistic is then k, and sorting matters.
std::vector<Sample> descending(std::size_t n) {
  std::vector<Sample> samples;
  for (std::size_t i = n; i > 0; --i) samples.push_back({Nanoseconds(static_cast<double>(i))});
  return samples;
}

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleSamples) {
  EXPECT_EQ(summarize(descending(7)).median, Nanoseconds(4));
  EXPECT_EQ(summarize(descending(8)).median, Nanoseconds(4.5));
}

TEST(Statistics, MeanAndMinimumAreOfAllSamples) {
  const Statistics statistics = summarize({{Nanoseconds(9)}, {Nanoseconds(1)}, {Nanoseconds(2)}});
  EXPECT_EQ(statistics.mean, Nanoseconds(4));
  EXPECT_EQ(statistics.minimum, Nanoseconds(1));
}

// Five samples: the extremes cover the median with 1 - 2/2^5 = 0.9375 < 0.95 only.
TEST(Statistics, FiveSamplesCannotReach95Percent) {
  const Statistics statistics = summarize(descending(5));
  EXPECT_FALSE(statistics.confidence);
  EXPECT_EQ(statistics.interval_low, Nanoseconds(1));
  EXPECT_EQ(statistics.interval_high, Nanoseconds(5));
}

// Six: 1 - 2/2^6 = 0.96875.
TEST(Statistics, SixSamplesReach95PercentWithTheirExtremes) {
  const Statistics statistics = summarize(descending(6));
  EXPECT_EQ(statistics.confidence, 0.95);
  EXPECT_EQ(statistics.interval_low, Nanoseconds(1));
  EXPECT_EQ(statistics.interval_high, Nanoseconds(6));
}

// Nine: P(X <= 1) = (1 + 9)/512 = 0.0195 <= 0.025 < P(X <= 2) = 46/512 = 0.0898, so x_(2) and x_(8).
TEST(Statistics, NineSamplesDropOneAtEachEnd) {
  const Statistics statistics = summarize(descending(9));
  EXPECT_EQ(statistics.interval_low, Nanoseconds(2));
  EXPECT_EQ(statistics.interval_high, Nanoseconds(8));
}

// Twenty: P(X <= 5) = 21700/2^20 = 0.0207 <= 0.025 < P(X <= 6) = 60460/2^20 = 0.0577, so x_(6) and x_(15).
TEST(Statistics, TwentySamplesGiveTheSixthAndTheFifteenth) {
  const Statistics statistics = summarize(descending(20));
  EXPECT_EQ(statistics.interval_low, Nanoseconds(6));
  EXPECT_EQ(statistics.interval_high, Nanoseconds(15));
}

// Nine at 99 %: P(X <= 0) = 1/512 = 0.00195 <= 0.005 < P(X <= 1) = 0.0195.
TEST(Statistics, HigherConfidenceWidensTheInterval) {
  const Statistics statistics = summarize(descending(9), 0.99);
  EXPECT_EQ(statistics.interval_low, Nanoseconds(1));
  EXPECT_EQ(statistics.interval_high, Nanoseconds(9));
  EXPECT_EQ(statistics.confidence, 0.99);
}

// 2^-20000 underflows a double. By the normal approximation k is about n/2 - 1.96 sqrt(n)/2 = 9861.4.
TEST(Statistics, ManySamplesDoNotUnderflow) {
  const Statistics statistics = summarize(descending(20000));
  EXPECT_NEAR(statistics.interval_low.value(), 9861.4, 2.0);
  EXPECT_NEAR(statistics.interval_high.value(), 20001 - 9861.4, 2.0);
}

// 21 samples of a skewed distribution (exponential, median ln 2): x_(6)..x_(16) covers with
// 1 - 2 * 27896/2^21 = 0.973; of 4000 draws, the standard error is 0.0026.
TEST(Statistics, IntervalCoversTheMedianOfASkewedDistribution) {
  Random random(3);
  int covered = 0;
  for (int repetition = 0; repetition < 4000; ++repetition) {
    std::vector<Sample> samples(21);
    for (Sample& sample : samples) sample.time = Nanoseconds(-std::log(1.0 - random.uniform()));
    const Statistics statistics = summarize(samples);
    covered += statistics.interval_low.value() <= std::log(2.0) && std::log(2.0) <= statistics.interval_high.value();
  }
  EXPECT_NEAR(covered / 4000.0, 0.973, 0.01);
}

}  // namespace
}  // namespace wattune::measure
