#include "model/interface/power_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

PowerCurve a100(double base) { return {Watts(base), 0.0614, 1.285e-3, Megahertz(985)}; }

// Returns Kernel Tuner's recorded sweep of an RTX A4000 (KernelTuner/kernel_tuner, Apache-2.0), at the clocks that ran.
// The last two were to run at 1905 and 2100 MHz; the board's limit is 140 W.
std::vector<PowerSample> recorded_a4000() {
  std::vector<PowerSample> samples;
  for (const auto& [clock, watts] : {std::pair{405.0, 43.928},
                                     {585.0, 52.095},
                                     {780.0, 58.972},
                                     {960.0, 65.004},
                                     {1155.0, 72.241},
                                     {1335.0, 79.923},
                                     {1530.0, 103.031},
                                     {1710.0, 133.824},
                                     {1752.1605, 138.871},
                                     {1739.7175, 139.161}})
    samples.push_back({.clock = Megahertz(clock), .power = Watts(watts), .asked = Megahertz(clock)});
  samples[8].asked = Megahertz(1905);
  samples[9].asked = Megahertz(2100);
  return samples;
}

std::vector<PowerSample> samples_of(const PowerCurve& curve, std::initializer_list<double> clocks) {
  std::vector<PowerSample> samples;
  for (const double clock : clocks) samples.push_back({.clock = Megahertz(clock), .power = curve.at(Megahertz(clock))});
  return samples;
}

// 1 + 1.285e-3 * 15 = 1.019275; 45 + 0.0614 * 1000 * 1.019275^2 = 108.79.
TEST(PowerCurve, KeepsTheVoltageUntilTauWithoutAJump) {
  EXPECT_EQ(a100(45).voltage(Megahertz(500)), 1.0);
  EXPECT_EQ(a100(45).voltage(Megahertz(985)), 1.0);
  EXPECT_NEAR(a100(45).at(Megahertz(1000)).value(), 108.79, 0.01);
  EXPECT_NEAR(a100(45).at(Megahertz(985)).value(), 45 + 0.0614 * 985, 1e-9);
}

// 2 * 0.0614 * 1.285e-3 * 985^2 = 153.1 W: up to this base the ridge is tau, above it lies higher.
TEST(PowerCurve, HasItsRidgeAtTauUnlessTheBaseIsLarge) {
  EXPECT_EQ(a100(45).ridge(), Megahertz(985));
  EXPECT_EQ(a100(153).ridge(), Megahertz(985));
  EXPECT_NEAR(a100(250).ridge().value(), 1146, 0.5);
  EXPECT_EQ(a100(0).ridge(), Megahertz(985));
}

TEST(PowerCurve, HasLeastEnergyPerCycleAtItsRidge) {
  const PowerCurve curve = a100(250);
  const double least = curve.at(curve.ridge()).value() / curve.ridge().value();
  for (double clock = 210; clock <= 1410; clock += 1)
    EXPECT_GE(curve.at(Megahertz(clock)).value() / clock, least - 1e-9) << clock;
}

TEST(PowerCurve, HasNoRidgeWhereTheVoltageNeverRises) {
  EXPECT_TRUE(std::isinf(PowerCurve{Watts(45), 0.06, 0.0, Megahertz(985)}.ridge().value()));
}

// An independent calculation of the same fit gave 1350 with the two capped points and 1365 without.
TEST(PowerFit, FindsTheRidgeOfARecordedBoardWithAndWithoutItsCappedPoints) {
  const auto all = fit_power_curve(recorded_a4000()).value();
  EXPECT_NEAR(all.ridge.value(), 1350, 1);
  EXPECT_NEAR(all.curve.base.value(), 29.3, 0.1);
  EXPECT_NEAR(all.curve.alpha, 0.0376, 2e-4);
  EXPECT_NEAR(all.curve.beta, 7.4e-4, 1e-5);
  EXPECT_NEAR(all.rmse.value(), 0.8, 0.05);
  EXPECT_EQ(all.samples, 10u);
  const auto uncapped = fit_power_curve(with_capped_marked(recorded_a4000())).value();
  EXPECT_NEAR(uncapped.ridge.value(), 1365, 1);
  EXPECT_EQ(uncapped.samples, 8u);
}

TEST(PowerFit, SaysBetweenWhichClocksTheRidgeLies) {
  const auto fit = fit_power_curve(with_capped_marked(recorded_a4000())).value();
  EXPECT_LT(fit.likely_ridge.low, fit.ridge);
  EXPECT_GT(fit.likely_ridge.high, fit.ridge);
  EXPECT_GT(fit.likely_ridge.low, Megahertz(1250));
  EXPECT_LT(fit.likely_ridge.high, Megahertz(1450));
}

// The voltage rises at 985 MHz and only the sample at 1410 shows it, so the rise may as well begin later.
TEST(PowerFit, LeavesOpenWhereTheVoltageRisesBelowASingleSample) {
  const auto fit = fit_power_curve(samples_of(a100(45), {210, 400, 600, 800, 900, 1410})).value();
  EXPECT_LE(fit.likely_ridge.low, Megahertz(985));
  EXPECT_EQ(fit.likely_ridge.high, Megahertz(1410));
}

// 45 + 0.06 f: the best clock is the highest.
TEST(PowerFit, PutsTheRidgeAtTheLastSampleWhereTheVoltageNeverRises) {
  const PowerCurve straight{Watts(45), 0.06, 0.0, Megahertz(400)};
  const auto fit = fit_power_curve(samples_of(straight, {210, 400, 600, 800, 1000, 1200, 1410})).value();
  EXPECT_EQ(fit.ridge, Megahertz(1410));
  EXPECT_NEAR(fit.rmse.value(), 0.0, 1e-6);
}

// Without a base the energy per cycle is the same at all clocks up to tau, which is the fastest of them.
TEST(PowerFit, FitsABoardWithoutABase) {
  const auto fit = fit_power_curve(samples_of(a100(0), {210, 400, 600, 800, 1000, 1200, 1300, 1410})).value();
  EXPECT_NEAR(fit.curve.base.value(), 0.0, 1e-3);
  EXPECT_NEAR(fit.ridge.value(), 985, 0.1);
}

TEST(PowerFit, NeedsFiveClocksThatAreNotCapped) {
  EXPECT_THAT(fit_power_curve({}).error().to_string(), HasSubstr("0 of 0 samples"));
  EXPECT_THAT(fit_power_curve(samples_of(a100(45), {210, 600, 600, 1000, 1410})).error().to_string(),
              HasSubstr("samples of 5 clocks at which the board does not throttle: `4 of 5 samples`"));
  auto capped = recorded_a4000();
  for (PowerSample& sample : capped) sample.capped = true;
  EXPECT_THAT(fit_power_curve(capped).error().to_string(), HasSubstr("`0 of 10 samples`"));
}

TEST(PowerFit, RefusesWhatIsNoPowerCurve) {
  auto samples = samples_of(a100(45), {210, 400, 600, 800, 1000, 1200, 1410});
  samples[3].power = Watts(-1);
  EXPECT_THAT(fit_power_curve(samples).error().to_string(), HasSubstr("no positive clock and power: `800 MHz, -1 W`"));
  samples[3].power = Watts(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(fit_power_curve(samples).error().to_string(), HasSubstr("`800 MHz, nan W`"));
  const char* grow = "power does not grow with the clock";
  auto falling = samples_of(a100(45), {210, 400, 600, 800, 1000});
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i].power = Watts(100.0 - 10.0 * static_cast<double>(i));
  EXPECT_THAT(fit_power_curve(falling).error().to_string(), HasSubstr(grow));
  auto erratic = samples_of(a100(45), {210, 400, 600, 800, 1000, 1200, 1410});
  for (std::size_t i = 0; i < erratic.size(); ++i) erratic[i].power = Watts(i % 2 == 0 ? 60 : 120);
  EXPECT_THAT(fit_power_curve(erratic).error().to_string(), HasSubstr(grow));
  auto huge = samples_of(a100(45), {210, 400, 600, 800, 1000});
  for (PowerSample& sample : huge) sample.power = 1e300 * sample.power;
  EXPECT_THAT(fit_power_curve(huge).error().to_string(), HasSubstr(grow));
  auto constant = samples_of(a100(45), {210, 400, 600, 800, 1000});
  for (PowerSample& sample : constant) sample.power = Watts(100);
  EXPECT_THAT(fit_power_curve(constant).error().to_string(), HasSubstr(grow));
}

// 1 % of 140 W: from 138.6 W on. 1739.7 of 2100 MHz is 83 %.
TEST(CappedSamples, ShowByTheirClockOrByTheLimit) {
  const auto by_clock = with_capped_marked(recorded_a4000());
  for (std::size_t i = 0; i < by_clock.size(); ++i) EXPECT_EQ(by_clock[i].capped, i >= 8) << i;
  auto samples = recorded_a4000();
  for (PowerSample& sample : samples) sample.asked.reset();
  const auto by_limit = with_capped_marked(samples, Watts(140));
  for (std::size_t i = 0; i < by_limit.size(); ++i) EXPECT_EQ(by_limit[i].capped, i >= 8) << i;
  samples[0].capped = true;
  EXPECT_TRUE(with_capped_marked(samples)[0].capped);
}

// Exact samples leave nothing to chance, so the range is the curve. Noise of 1 % that changes its sign from clock to
// clock leaves about 1 % around it, and more where the samples end.
TEST(LikelyPower, IsAsWideAsTheSamplesAreScattered) {
  const auto clocks = {300., 450., 600., 750., 900., 985., 1050., 1150., 1250., 1350., 1410.};
  std::vector<PowerSample> samples = samples_of(a100(45), clocks);
  const std::vector<Megahertz> at = {Megahertz(300), Megahertz(900), Megahertz(1410)};
  const auto exact = likely_power(samples, at);
  ASSERT_TRUE(exact);
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_LT(((*exact)[i].high - (*exact)[i].low).value(), 1.0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].power = samples[i].power * (i % 2 == 0 ? 1.01 : 0.99);
  const auto noisy = likely_power(samples, at);
  ASSERT_TRUE(noisy);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double truth = a100(45).at(at[i]).value();
    EXPECT_LT((*noisy)[i].low.value(), truth);
    EXPECT_GT((*noisy)[i].high.value(), truth);
    EXPECT_GT((*noisy)[i].high.value() - (*noisy)[i].low.value(), 0.005 * truth);
    EXPECT_LT((*noisy)[i].high.value() - (*noisy)[i].low.value(), 0.08 * truth);
  }
}

}  // namespace
}  // namespace wattune::model
