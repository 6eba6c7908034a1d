#include "wattune/schedule/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/tiny_machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

constexpr MachineLimits kTenSms{.capability = model::ComputeCapability{9, 0}, .sms = 10, .split_grain = 2};

TEST(Forecast, ProfitIsTheShareOfTimeThatIsSaved) {
  const PairForecast forecast{.rates = {0.9, 0.7}};
  EXPECT_DOUBLE_EQ(forecast.speedup(), 1.6);
  EXPECT_DOUBLE_EQ(forecast.profit(), 1.0 - 1.0 / 1.6);
}

TEST(Forecast, TheOrderOfAPairDoesNotMatter) {
  PairTable table(10);
  table.learn(7, 3, {.ratio = {1, 4}, .sms_of_first = 2, .rates = {0.3, 0.8}});
  const PairForecast turned = table.find(3, 7).value();
  EXPECT_EQ(turned.ratio, (model::BlockRatio{4, 1}));
  EXPECT_EQ(turned.sms_of_first, 8U);
  EXPECT_DOUBLE_EQ(turned.rates[0], 0.8);
  EXPECT_DOUBLE_EQ(table.find(7, 3)->rates[0], 0.3);
  EXPECT_FALSE(table.find(3, 8));
}

TEST(Forecast, TheBetterOfTwoForecastersCounts) {
  const auto says = [](double rate) {
    return [rate](const KernelTraits&, const KernelTraits&) -> Result<PairForecast> {
      return PairForecast{.rates = {rate, rate}};
    };
  };
  const KernelTraits any = tiny_kernel("any");
  EXPECT_EQ(better_of(says(0.6), says(0.7), {})(any, any)->rates[0], 0.7);
  EXPECT_EQ(better_of(says(0.7), says(0.6), {})(any, any)->rates[0], 0.7);
}

TEST(Forecast, TheBestComesFirstAndTheOthersAreKept) {
  PairTable table(10);
  table.learn(7, 3, best_of({}, {{.ratio = {1, 4}, .rates = {0.3, 0.8}}, {.ratio = {2, 3}, .rates = {0.6, 0.7}}}));
  EXPECT_EQ(table.find(3, 7)->ratio, (model::BlockRatio{3, 2}));
  EXPECT_TRUE(table.find(3, 7)->others.empty());
  const auto ways = table.ways(3, 7);
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_EQ(ways[1].ratio, (model::BlockRatio{4, 1}));
  EXPECT_DOUBLE_EQ(ways[1].rates[0], 0.8);
  EXPECT_TRUE(table.ways(3, 8).empty());
}

// The measured 0.15 is half of the forecast 0.3 for this shape, so all forecasts get the mean factor of 0.75.
TEST(Forecast, WhatIsMeasuredInOneShapeCountsForAll) {
  PairTable table(10);
  table.learn(1, 2, best_of({}, {{.ratio = {2, 3}, .rates = {0.6, 0.7}}, {.ratio = {1, 4}, .rates = {0.3, 0.8}}}));
  table.observe(1, 2, {.ratio = {1, 4}}, 0.15);
  table.observe(1, 2, {.ratio = {4, 1}}, 0.01);  // there is no forecast of this shape
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[0], 0.45);
  EXPECT_DOUBLE_EQ(table.ways(2, 1)[1].rates[1], 0.225);
  table.observe(2, 1, {.ratio = {4, 1}}, 0.4);
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[1], 0.525);
}

double first_rate_at(const PairTable& table, const model::BlockRatio& ratio) {
  for (const PairForecast& way : table.ways(1, 2))
    if (way.ratio == ratio) return way.rates[0];
  return 0.0;
}

// The first shape ran at half of its forecast; this counts for the second shape until the two run in that. A measured
// 0.3 there, as forecast, gives the mean of half and all of it. Later measurements of the first shape do not change
// that.
TEST(Forecast, AShapeThatRanIsCorrectedByWhatItDidItself) {
  PairTable table(10, 0.5);
  table.learn(1, 2, best_of({}, {{.ratio = {2, 3}, .rates = {0.6, 0.7}}, {.ratio = {1, 4}, .rates = {0.3, 0.8}}}));
  for (int i = 0; i < 30; ++i) table.observe(1, 2, {.ratio = {2, 3}}, 0.3);
  EXPECT_NEAR(first_rate_at(table, {1, 4}), 0.15, 1e-6);
  table.observe(1, 2, {.ratio = {1, 4}}, 0.3);
  EXPECT_NEAR(first_rate_at(table, {1, 4}), 0.225, 1e-6);
  for (int i = 0; i < 30; ++i) table.observe(1, 2, {.ratio = {2, 3}}, 0.15);
  EXPECT_NEAR(first_rate_at(table, {1, 4}), 0.225, 1e-6);
  EXPECT_NEAR(first_rate_at(table, {2, 3}), 0.15, 1e-6);
}

TEST(Forecast, TheBestIsThatAsCorrected) {
  const std::vector<PairForecast> all = {{.ratio = {2, 3}, .rates = {0.6, 0.7}},
                                         {.ratio = {1, 4}, .rates = {0.5, 0.7}}};
  PairTable table(10, 1.0);
  table.learn(1, 2, best_of({}, all));
  EXPECT_EQ(table.find(1, 2)->ratio, (model::BlockRatio{2, 3}));
  table.observe(1, 2, {.ratio = {1, 4}}, 0.5);
  table.observe(1, 2, {.ratio = {2, 3}}, 0.3);
  EXPECT_EQ(table.find(1, 2)->ratio, (model::BlockRatio{1, 4}));
  EXPECT_EQ(table.ways(2, 1).front().ratio, (model::BlockRatio{4, 1}));
  EXPECT_EQ(table.ways(2, 1).back().ratio, (model::BlockRatio{3, 2}));
}

TEST(Forecast, AWayIsFoundByItsShape) {
  PairTable table(10, 1.0);
  table.learn(1, 2, best_of({}, {{.ratio = {2, 3}, .rates = {0.6, 0.7}}, {.sms_of_first = 4, .rates = {0.5, 0.4}}}));
  EXPECT_EQ(table.find(2, 1, {.sms_of_first = 6}, {})->rates, (std::array{0.4, 0.5}));
  table.observe(1, 2, {.ratio = {2, 3}}, 0.3);
  EXPECT_EQ(table.find(1, 2, {.ratio = {2, 3}}, {})->rates, (std::array{0.3, 0.7}));
  EXPECT_FALSE(table.find(1, 2, {.ratio = {3, 2}}, {}));
  EXPECT_FALSE(table.find(1, 2, {.ratio = {2, 3}}, backend::BoardSetting{.graphics = Megahertz(500)}));
  EXPECT_FALSE(table.find(1, 3, {.ratio = {2, 3}}, {}));
}

// The same ratio has forecasts at two clocks, of which the lower promises more, but achieves half of that. Clocks
// without a forecast tell nothing.
TEST(Forecast, WhatIsMeasuredAtOneClockCountsForTheRatioAtAll) {
  constexpr backend::BoardSetting kSlow{.graphics = Megahertz(500)};
  constexpr backend::BoardSetting kFast{.graphics = Megahertz(1000)};
  PairTable table(8, 1.0);
  table.learn(0, 1,
              {.ratio = {4, 4},
               .rates = {0.8, 0.8},
               .clocks = kSlow,
               .others = {PairForecast{.ratio = {4, 4}, .rates = {0.7, 0.7}, .clocks = kFast},
                          PairForecast{.ratio = {2, 6}, .rates = {0.6, 0.7}, .clocks = kFast}}});
  EXPECT_EQ(table.find(0, 1)->clocks, kSlow);
  EXPECT_EQ(table.find(0, 1, kFast)->rates[0], 0.7);
  EXPECT_FALSE(table.find(0, 1, {.graphics = Megahertz(700)}));
  table.observe(0, 1, {.ratio = {2, 6}}, 0.1, kSlow);
  table.observe(0, 1, {.ratio = {4, 4}}, 0.1);
  table.observe(0, 1, {.ratio = {4, 4}}, 0.4, kSlow);
  const auto ways = table.ways(0, 1);
  for (const PairForecast& way : ways)
    EXPECT_NEAR(way.rates[0],
                0.5 * (way.ratio == model::BlockRatio{2, 6} ? 0.6
                       : way.clocks == kSlow                ? 0.8
                                                            : 0.7),
                1e-12);
}

// Each measurement counts by a quarter here. 1 and 0.4 of 0.8 make a factor of 0.85; that and 0.6 make 0.7875.
TEST(Forecast, MeasurementsCorrectThePairThatTheyAreOf) {
  PairTable table(10, 0.25);
  table.learn(1, 2, {.rates = {0.8, 0.8}});
  table.learn(1, 3, {.rates = {0.8, 0.8}});
  table.observe(2, 1, {}, 0.32);
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[1], 0.68);
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[0], 0.8);
  table.observe(2, 1, {}, 0.48);
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[1], 0.63);
  EXPECT_DOUBLE_EQ(table.find(1, 3)->rates[1], 0.8);
}

TEST(Forecast, MeasurementsThatCannotBeAreIgnored) {
  PairTable table(10);
  table.observe(1, 2, {}, 0.5);
  EXPECT_FALSE(table.find(1, 2));
  table.learn(1, 2, {.rates = {0.8, 0.8}});
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    table.observe(1, 2, {}, rate);
  EXPECT_DOUBLE_EQ(table.find(1, 2)->rates[0], 0.8);
}

constexpr MachineLimits kAnySplit{.capability = model::ComputeCapability{9, 0}, .sms = 10, .split_grain = 1};

// The copy saturates the memory with 4 of 10 SMs, so its rate is 0.75 on 3 of them, and the other one's is 0.7 on 7.
// Both end after 1 / 0.7 of their time alone; with 4 SMs for the copy it would be 1 / 0.6.
TEST(Forecast, TheBestSplitEndsSoonest) {
  KernelTraits copy = tiny_kernel("copy");
  copy.saturating_share = 0.4;
  const PairForecast forecast = split_forecaster(kAnySplit, {})(copy, tiny_kernel("fma")).value();
  EXPECT_EQ(forecast.sms_of_first, 3U);
  EXPECT_DOUBLE_EQ(forecast.rates[0], 0.75);
  EXPECT_DOUBLE_EQ(forecast.rates[1], 0.7);
}

// A kernel that takes three times as long gets 7 of 10 SMs: 30 / 0.7 ms against 10 / 0.3. With 8 SMs the other takes 10
// / 0.2.
TEST(Forecast, ALongerKernelGetsMoreOfTheSms) {
  const KernelTraits longer = tiny_kernel("longer", 300);
  EXPECT_EQ(split_forecaster(kAnySplit, {})(longer, tiny_kernel("shorter"))->sms_of_first, 7U);
}

// Both ask for 80 % of DRAM alone, and for half of that on half of the SMs. Their pipelines are not shared; sharing
// these would allow no more.
TEST(Forecast, KernelsOnSmsOfTheirOwnShareTheMemory) {
  KernelTraits first = tiny_kernel("first");
  first.saturating_share = 0.5;
  first.utilisation = model::Utilisation{.pipeline = 0.9, .memory = 0.8};
  const PairForecast forecast = split_forecaster(kAnySplit, {})(first, first).value();
  EXPECT_EQ(forecast.sms_of_first, 5U);
  EXPECT_DOUBLE_EQ(forecast.rates[0], 1.0 / 1.6);
  EXPECT_DOUBLE_EQ(forecast.rates[1], 1.0 / 1.6);
}

// Nothing was counted of a kernel that is as fast on half of the SMs, so it fills what they share. On half of the SMs
// each, two of them are half as fast as alone.
TEST(Forecast, AKernelThatWasNotCountedUsesWhatItsTimesTell) {
  KernelTraits kernel = tiny_kernel("kernel", 300);
  kernel.saturating_share = 0.5;
  kernel.profile.blocks_alone = 4;
  kernel.speed_on_sms = {{5, 1.0}, {10, 1.0}};
  const PairForecast forecast = split_forecaster(kAnySplit, {})(kernel, kernel).value();
  EXPECT_EQ(forecast.sms_of_first, 5U);
  EXPECT_DOUBLE_EQ(forecast.rates[0], 0.5);
  EXPECT_DOUBLE_EQ(forecast.rates[1], 0.5);
}

// The same with shares of each resource; the resources that all SMs share come last. With shared pipes only 1 / 1.8
// would be left.
TEST(Forecast, KernelsOnSmsOfTheirOwnHaveTheirOwnPipes) {
  KernelTraits kernel = tiny_kernel("kernel");
  kernel.saturating_share = 0.5;
  kernel.use = std::vector<double>(simulate::kResources, 0.8);
  std::fill_n(kernel.use.begin(), simulate::kSmResources, 0.9);
  const PairForecast forecast = split_forecaster(kAnySplit, {})(kernel, kernel).value();
  EXPECT_EQ(forecast.sms_of_first, 5U);
  EXPECT_DOUBLE_EQ(forecast.rates[0], 1.0 / 1.6);
  EXPECT_DOUBLE_EQ(forecast.rates[1], 1.0 / 1.6);
}

// One kernel keeps the FP32 pipe busy for 90 % of its time, the other the special pipe. Together they issue as often as
// one scheduler can. By the busiest pipe of each alone nothing would be gained.
TEST(Forecast, WhoKeepsDifferentPipesBusyLosesNothingByThem) {
  KernelTraits fp32 = tiny_kernel("fp32");
  fp32.rate_at_residency = {1.0, 1.0, 1.0, 1.0};
  fp32.use = {0.4, 0.9, 0.1};
  KernelTraits special = fp32;
  special.use = {0.4, 0.1, 0.9};
  const auto forecaster = residency_forecaster({.capability = model::ComputeCapability{9, 0}, .sms = 1}, {});
  EXPECT_DOUBLE_EQ(forecaster(fp32, special)->speedup(), 2.0);
  EXPECT_DOUBLE_EQ(forecaster(fp32, fp32)->speedup(), 2.0 / 1.8);
}

// Each warp issues an instruction every fourth cycle. 32 warps alone on a hypothetical SM with one scheduler are bound
// by issue (rate 1 of 1). Two such kernels share the scheduler: 0.5 each.
TEST(Forecast, TheChainExpectsNothingOfTwoKernelsThatOnlyCompute) {
  const Forecaster chain = chain_forecaster(kTenSms, {.schedulers = 4});
  const auto forecast = chain(tiny_kernel("a"), tiny_kernel("b"));
  ASSERT_TRUE(forecast) << forecast.error().to_string();
  EXPECT_NEAR(forecast->speedup(), 1.0, 1e-6);
}

// One kernel waits for memory in a fifth of its instructions, so it leaves most issue slots to the other.
TEST(Forecast, TheChainExpectsMuchOfAKernelThatWaitsBesideOneThatComputes) {
  KernelTraits waits = tiny_kernel("waits");
  waits.profile.profile.stalls = {{.ratio = 0.2, .latency = 600}};
  const Forecaster chain = chain_forecaster(kTenSms, {.schedulers = 4, .requests_per_cycle = 10});
  const PairForecast forecast = chain(tiny_kernel("computes"), waits).value();
  EXPECT_GT(forecast.speedup(), 1.2);
  EXPECT_GT(forecast.ratio.first, 0U);
}

// Eight blocks fit on an SM. One kernel reaches its full speed with two, the other needs six.
TEST(Forecast, ResidencyGivesEachTheBlocksThatItNeeds) {
  KernelTraits few = tiny_kernel("few");
  KernelTraits many = tiny_kernel("many");
  few.rate_at_residency = {0.6, 1, 1, 1, 1, 1, 1, 1};
  many.rate_at_residency = {0.2, 0.3, 0.5, 0.7, 0.8, 1, 1, 1};
  const PairForecast forecast = residency_forecaster(kTenSms, {.schedulers = 4})(few, many).value();
  EXPECT_EQ(forecast.ratio, (model::BlockRatio{2, 6}));
  EXPECT_NEAR(forecast.speedup(), 2.0, 1e-6);
}

// 0.9 and 0.7 of the pipelines are 1.6 times what exists: each kernel keeps 1 / 1.6 of its speed.
TEST(Forecast, ResidencyGivesNoMoreOfThePipelinesThanThereIs) {
  KernelTraits one = tiny_kernel("one");
  one.rate_at_residency = std::vector<double>(8, 1.0);
  KernelTraits other = one;
  one.utilisation = model::Utilisation{.pipeline = 0.9};
  other.utilisation = model::Utilisation{.pipeline = 0.7};
  const PairForecast forecast = residency_forecaster(kTenSms, {.schedulers = 4})(one, other).value();
  EXPECT_NEAR(forecast.rates[0], 1.0 / 1.6, 1e-6);
  EXPECT_NEAR(forecast.rates[1], 1.0 / 1.6, 1e-6);
}

// Both wait for memory, which serves few requests: each slows the other down.
TEST(Forecast, ResidencyKnowsThatBothWaitForTheSameMemory) {
  KernelTraits waits = tiny_kernel("waits");
  waits.rate_at_residency = std::vector<double>(8, 1.0);
  waits.profile.profile.stalls = {{.ratio = 0.3, .latency = 400}};
  const auto speedup = [&](double requests_per_cycle) {
    return residency_forecaster(kTenSms, {.schedulers = 4, .requests_per_cycle = requests_per_cycle})(waits, waits)
        ->speedup();
  };
  EXPECT_GT(speedup(100.0), 1.9);
  EXPECT_LT(speedup(0.02), 1.3);
}

// Each block takes 200 KB of the 227 of an SM, so there is no room for a block of the other kernel.
TEST(Forecast, KernelsThatDoNotFitTogetherAreNeverAPair) {
  KernelTraits large = tiny_kernel("large");
  large.block.dynamic_shared_bytes = 200 * 1024;
  const PairForecast forecast = chain_forecaster(kTenSms, {})(large, large).value();
  EXPECT_EQ(forecast.speedup(), 0.0);
}

}  // namespace
}  // namespace wattune::schedule
