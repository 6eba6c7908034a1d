#include <gtest/gtest.h>

#include "measure/sampling.h"
#include "measure/synthetic_device.h"

namespace wattune::inline v0_1::measure {
namespace {

std::vector<Sample> samples_of(const Noise& noise, std::size_t n) {
  SyntheticDevice device(7, noise);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < n; ++i) samples.push_back({device.run(Nanoseconds(1e6))});
  return samples;
}

bool stops(const std::vector<Sample>& samples, Convergence rule, double precision = 0.01) {
  SamplingOptions options;
  options.convergence = rule;
  options.relative_precision = precision;
  return converged(samples, options);
}

TEST(Convergence, EveryRuleStopsOnSteadyTimes) {
  for (const Convergence rule : {Convergence::interval, Convergence::stdrel, Convergence::entropy})
    EXPECT_TRUE(stops(samples_of(steady, 8), rule));
}

TEST(Convergence, NoRuleStopsOnOneSample) {
  for (const Convergence rule : {Convergence::interval, Convergence::stdrel, Convergence::entropy})
    EXPECT_FALSE(stops(samples_of(steady, 1), rule));
}

TEST(Convergence, StdrelComparesTheDeviationWithThePrecision) {
  const std::vector<Sample> samples = samples_of(gaussian(0.01), 50);
  EXPECT_TRUE(stops(samples, Convergence::stdrel, 0.02));
  EXPECT_FALSE(stops(samples, Convergence::stdrel, 0.005));
}

// Noise of 10 % stays at 10 %. From 65 of its values on, that is known.
TEST(Convergence, StdrelStopsWhenTheNoiseIsKnown) {
  EXPECT_FALSE(stops(samples_of(gaussian(0.1), 60), Convergence::stdrel));
  EXPECT_TRUE(stops(samples_of(gaussian(0.1), 2000), Convergence::stdrel));
}

// Times that are all different add to the entropy for ever: log2(n).
TEST(Convergence, EntropyGrowsWithNewTimes) {
  std::vector<Sample> samples;
  for (int i = 0; i < 200; ++i) samples.push_back({Nanoseconds(1000 + i)});
  EXPECT_FALSE(stops(samples, Convergence::entropy));
}

}  // namespace
}  // namespace wattune::measure
