#include "lab/perf/gt640_pair.h"

#include <gtest/gtest.h>

namespace wattune::perf {
namespace {

// The exhaustive choice has the greatest gain, but not the most operations per joule. More of these at 3:5 blocks are
// Bt's, which are cheaper than Srad's even alone; the gain is not greater there.
TEST(Gt640Pair, NoChoiceGainsMoreThanTheExhaustiveOne) {
  const Pair pair(named("Bt"), named("Srad"));
  const double most = pair.gain(pair.exhaustive().efficiency);
  for (unsigned first = 1; first < 8; ++first)
    for (const ClockPair& clocks : simulate::clock_pairs(gt640()))
      EXPECT_LE(pair.gain(pair.at({first, 8 - first}, clocks)), most + 1e-12) << first << ", " << clocks.memory.value();
  EXPECT_GT(pair.best_clocks({3, 5}).operations_per_joule(), pair.exhaustive().efficiency.operations_per_joule());
}

// The forecast keeps the idle power apart from the power that the two kernels add.
TEST(Gt640Pair, AForecastPartsIdlePowerFromWhatIsAdded) {
  const Pair pair(named("Hotspot"), named("Mergehist"));
  const PairPoint best = pair.exhaustive();
  const schedule::PairForecast forecast = pair.forecast(best, Clocks::best);
  EXPECT_EQ(forecast.watts->idle, idle_power(best.efficiency.clocks));
  EXPECT_GT(forecast.watts->added[0], Watts(0));
  EXPECT_GT(forecast.watts->added[1], Watts(0));
  EXPECT_NEAR(forecast.power().value(), best.efficiency.power.value(), 1e-9);
  EXPECT_NEAR(forecast.energy_gain(), 1.0 + pair.gain(best.efficiency), 1e-9);
}

// Bitonic and Transpose both wait for DRAM, so that running them together promises nothing. Hotspot and Mergehist are
// the pair that gains most.
TEST(Gt640Pair, WhatPromisesNothingIsNotTaken) {
  EXPECT_FALSE(Pair(named("Bitonic"), named("Transpose")).predicted_best().is_taken());
  const Pair pair(named("Hotspot"), named("Mergehist"));
  const PairChoice choice = pair.predicted_best();
  EXPECT_TRUE(choice.is_taken());
  EXPECT_NEAR(pair.gain(choice.point.efficiency), pair.gain(pair.exhaustive().efficiency), 0.02);
}

}  // namespace
}  // namespace wattune::perf
