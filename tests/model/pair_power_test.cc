#include "model/interface/pair_power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/interface/board_model.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

const PairSpeeds kHalf{.ratio = {4, 4}, .rates = {0.5, 0.5}};
const PairSpeeds kFull{.ratio = {4, 4}, .rates = {1.0, 1.0}};

// Two clocks, idle at 20 and 40 W. One kernel only computes (2 ms and 1 ms, 60 and 140 W) and keeps the pipelines busy.
// The other only waits for memory (1 ms at both, 50 and 70 W) and keeps the memory busy.
const BoardOverClocks kBoard{.idle = {{Megahertz(500), Watts(20)}, {Megahertz(1000), Watts(40)}}};
const SoloKernel kCompute{
    .runs = {{Megahertz(500), Nanoseconds(2e6), Watts(60)}, {Megahertz(1000), Nanoseconds(1e6), Watts(140)}},
    .utilisation = {.pipeline = 0.9, .memory = 0.1}};
const SoloKernel kCopy{
    .runs = {{Megahertz(500), Nanoseconds(1e6), Watts(50)}, {Megahertz(1000), Nanoseconds(1e6), Watts(70)}},
    .utilisation = {.pipeline = 0.1, .memory = 0.9}};

std::vector<PairPrediction> predicted(const PairSpeeds& speeds, const BoardOverClocks& board = kBoard,
                                      const SpeedErrors& errors = {}) {
  return predict_pair_at_clocks(board, kCompute, kCopy, {&speeds, 1}, errors).value();
}

// At 1000 MHz each needs 2 ms at half its speed; 40 + (100 + 30) / 2 W for that time are 210 mJ.
TEST(PairOverClocks, ScalesWhatEachAddsByItsSpeed) {
  const PairPrediction top = predicted(kHalf).back();
  EXPECT_EQ(top.clock, Megahertz(1000));
  EXPECT_DOUBLE_EQ(top.speedup.expected, 1.0);
  EXPECT_DOUBLE_EQ(top.power.expected.value(), 105.0);
  EXPECT_DOUBLE_EQ(top.time.expected.value(), 2e6);
  EXPECT_DOUBLE_EQ(top.energy.expected.value(), 0.21);
}

// At 500 MHz the copy takes 2 ms at half its speed and computing 4 ms. After 2 ms the copy is done, and half of 2 ms of
// computing is left, alone at full speed. So it is 20 + (40 + 30) / 2 W for 2 ms and 60 W for 1 ms.
TEST(PairOverClocks, LetsTheLongerKernelEndAlone) {
  const PairPrediction low = predicted(kHalf).front();
  EXPECT_EQ(low.clock, Megahertz(500));
  EXPECT_DOUBLE_EQ(low.power.expected.value(), 55.0);
  EXPECT_DOUBLE_EQ(low.time.expected.value(), 3e6);
  EXPECT_DOUBLE_EQ(low.energy.expected.value(), 0.11 + 0.06);
}

// Two copies ask for 1.8 times the memory, so each gets 1 / 1.8 of its speed. A kernel that computes at half the clock
// and half the speed still uses 0.9 of the cycles and a copy 0.2, so both get 1 / 1.1. At 1000 MHz they ask for 1.0.
TEST(PairOverClocks, GivesNoMoreThanThereIs) {
  const auto copies = predict_pair_at_clocks(kBoard, kCopy, kCopy, {&kFull, 1}).value();
  for (const PairPrediction& each : copies) EXPECT_NEAR(each.rates[0], 1.0 / 1.8, 1e-12);
  EXPECT_NEAR(predicted(kFull).front().rates[1], 1.0 / 1.1, 1e-12);
  EXPECT_NEAR(predicted(kFull).back().rates[1], 1.0, 1e-12);
}

// At 1000 MHz both would draw 105 W, at 500 MHz 55 W.
TEST(PairOverClocks, LowersTheClockWhereTheLimitAsksForIt) {
  BoardOverClocks capped = kBoard;
  capped.limit = Watts(100);
  const auto all = predicted(kHalf, capped);
  EXPECT_EQ(all.back().asked, Megahertz(1000));
  EXPECT_EQ(all.back().clock, Megahertz(500));
  EXPECT_EQ(all.back().energy.expected, all.front().energy.expected);
  capped.limit = Watts(106);
  EXPECT_EQ(predicted(kHalf, capped).back().clock, Megahertz(1000));
}

// Only 65 of 105 W follow the speeds, and a gain of one at the other's cost hardly changes the sum. So power is surer
// than speeds, and energy than time.
TEST(PairOverClocks, HasRangesThatFollowFromWhatIsUnsure) {
  const SpeedErrors errors{.unmeasured = {.of_both = 0.10, .of_one = 0.10}, .measured = {.of_both = 0.01}};
  const PairPrediction unsure = predicted(kHalf, kBoard, errors).back();
  EXPECT_LT(unsure.time.low, unsure.time.expected);
  EXPECT_GT(unsure.time.high, unsure.time.expected);
  const auto width = [](const auto& range) { return std::log(range.high / range.low); };
  EXPECT_LT(width(unsure.power), width(unsure.speedup));
  EXPECT_LT(width(unsure.energy), width(unsure.time));
  // 10 % of both, and (1.1 + 1 / 1.1) / 2 = 1.0045; 1.96 of the root of their squares on both sides.
  EXPECT_NEAR(width(unsure.speedup), 2 * 1.96 * std::hypot(std::log(1.1), 0.00453), 1e-4);
  PairSpeeds measured = kHalf;
  measured.factors.measured = true;
  EXPECT_NEAR(width(predicted(measured, kBoard, errors).back().speedup), 2 * 1.96 * std::log(1.01), 1e-4);
}

// Speeds are 0.6 and 0.4 instead of 0.5. At these 40 + 0.6 * 100 + 0.4 * 30 = 112 W are expected, and 120 are drawn. So
// at 500 MHz it is 20 + 0.6 * 40 + 0.4 * 30 = 56, times 120 / 112.
TEST(PairMeasurements, CorrectAllClocksOfThePair) {
  PairMeasurements measured;
  EXPECT_FALSE(measured.factors("compute", "copy", {4, 4}).measured);
  measured.observe("compute", "copy", predicted(kHalf).back(), {0.6, 0.4}, Watts(120));
  const PairFactors factors = measured.factors("compute", "copy", {4, 4});
  EXPECT_TRUE(factors.measured);
  EXPECT_FALSE(measured.factors("compute", "copy", {3, 5}).measured);
  EXPECT_EQ(factors.speed, (std::array{1.2, 0.8}));
  EXPECT_EQ(measured.factors("copy", "compute", {4, 4}).speed, (std::array{0.8, 1.2}));
  EXPECT_DOUBLE_EQ(factors.power, 120.0 / 112.0);
  const auto again = predicted({.ratio = {4, 4}, .rates = {0.5, 0.5}, .factors = factors});
  EXPECT_NEAR(again.front().speedup.expected, 1.0, 1e-12);
  EXPECT_NEAR(again.front().power.expected.value(), 60.0, 1e-12);
  EXPECT_NEAR(again.back().power.expected.value(), 120.0, 1e-12);
  // A measurement that equals the corrected prediction changes nothing, because corrections are relative to uncorrected
  // values.
  measured.observe("compute", "copy", again.back(), {0.6, 0.4}, Watts(120));
  EXPECT_NEAR(measured.factors("compute", "copy", {4, 4}).speed[0], 1.2, 1e-12);
  EXPECT_NEAR(measured.factors("compute", "copy", {4, 4}).power, 120.0 / 112.0, 1e-12);
}

// A board without sensors tells only speeds. They narrow the range; the power stays the predicted one.
TEST(PairMeasurements, SpeedsAreKnownWithoutAPower) {
  PairMeasurements measured;
  measured.observe("compute", "copy", predicted(kHalf).back(), {0.6, 0.4}, Watts(0));
  const PairFactors factors = measured.factors("compute", "copy", {4, 4});
  EXPECT_TRUE(factors.measured);
  EXPECT_EQ(factors.speed, (std::array{1.2, 0.8}));
  EXPECT_EQ(factors.power, 1.0);
}

// Half an observation would correct one kernel at the other's cost.
TEST(PairMeasurements, WhatCannotBeIsIgnoredAsAWhole) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  PairMeasurements measured;
  for (const auto& rates : {std::array{0.6, 0.0}, std::array{-0.1, 0.4}, std::array{0.6, kInfinite}})
    measured.observe("compute", "copy", predicted(kHalf).back(), rates, Watts(120));
  const PairFactors factors = measured.factors("compute", "copy", {4, 4});
  EXPECT_FALSE(factors.measured);
  EXPECT_EQ(factors.speed, (std::array{1.0, 1.0}));
  EXPECT_EQ(factors.power, 1.0);
  measured.observe("compute", "copy", predicted(kHalf).back(), {0.6, 0.4}, Watts(kInfinite));
  EXPECT_EQ(measured.factors("compute", "copy", {4, 4}).power, 1.0);
}

// On a board of which everything is known the power follows exactly, and so does the clock that its limit allows. The
// kernels use 0.7 and 0.2 of the cores and 0.3 and 0.6 of the memory, at 0.9 and 0.8 of their speeds.
TEST(PairOverClocks, IsTheSimulatedBoards) {
  const simulate::BoardModel& a100 = *simulate::find_board_model("A100");
  const simulate::Activity of_first{0.7, 0.3}, of_second{0.5, 0.6};
  const simulate::Activity together{0.9 * 0.7 + 0.8 * 0.5, 0.9 * 0.3 + 0.8 * 0.6};
  const auto drawn = [&](Megahertz clock, const simulate::Activity& activity) {
    return simulate::wanted_power(a100, {.graphics = clock}, activity, Celsius(50));
  };
  BoardOverClocks board{.idle = {}, .limit = Watts(210)};
  SoloKernel first{.runs = {}, .utilisation = {}}, second{.runs = {}, .utilisation = {}};
  for (const Megahertz clock : a100.clocks) {
    board.idle.push_back({clock, drawn(clock, {})});
    first.runs.push_back({clock, Nanoseconds(1e6), drawn(clock, of_first)});
    second.runs.push_back({clock, Nanoseconds(2e6), drawn(clock, of_second)});
  }
  const PairSpeeds speeds{.ratio = {2, 6}, .rates = {0.9, 0.8}};
  const auto all = predict_pair_at_clocks(board, first, second, {&speeds, 1}).value();
  ASSERT_EQ(all.size(), a100.clocks.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const simulate::Operation asked{.graphics = a100.clocks[i], .limit = Watts(210)};
    EXPECT_EQ(all[i].clock, simulate::clock_under_load(a100, asked, together, Celsius(50)));
    EXPECT_NEAR(all[i].power.expected / drawn(all[i].clock, together), 1.0, 1e-12);
  }
  EXPECT_LT(all.back().clock, a100.clocks.back());
}

TEST(PairOverClocks, RefusesWhatDoesNotGoTogether) {
  const auto refusal = [](const BoardOverClocks& board, const SoloKernel& first, const PairSpeeds& speeds) {
    return predict_pair_at_clocks(board, first, kCopy, {&speeds, 1}).error().to_string();
  };
  BoardOverClocks starved = kBoard;
  starved.limit = Watts(20);
  EXPECT_THAT(refusal(starved, kCompute, kHalf), HasSubstr("the board draws 20 W with nothing to do: `20 W`"));
  EXPECT_THAT(refusal({}, kCompute, kHalf), HasSubstr("the board has no clocks"));
  SoloKernel partly = kCompute;
  partly.runs.pop_back();
  EXPECT_THAT(refusal(kBoard, partly, kHalf), HasSubstr("run alone at each of the board's clocks: `1 runs, 2 clocks`"));
  EXPECT_THAT(refusal(kBoard, kCompute, {.ratio = {1, 1}, .rates = {0.0, 1.0}}), HasSubstr("has no speed: `0 and 1`"));
}

TEST(PairOverClocks, RefusesNumbersThatCannotBe) {
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [](const BoardOverClocks& board, const SoloKernel& first, const PairSpeeds& speeds,
                          const SpeedErrors& errors) {
    return predict_pair_at_clocks(board, first, kCopy, {&speeds, 1}, errors).error().to_string();
  };
  BoardOverClocks board = kBoard;
  board.limit = Watts(kNoNumber);
  EXPECT_THAT(refusal(board, kCompute, kHalf, {}), HasSubstr("with nothing to do: `nan W`"));
  board = kBoard;
  std::ranges::reverse(board.idle);
  EXPECT_THAT(refusal(board, kCompute, kHalf, {}), HasSubstr("clocks do not ascend: `500 MHz after 1000`"));
  SoloKernel kernel = kCompute;
  kernel.utilisation.memory = -0.1;
  EXPECT_THAT(refusal(kBoard, kernel, kHalf, {}), HasSubstr("a utilisation is at least 0: `0.9 and -0.1`"));
  kernel = kCompute;
  kernel.time_error = -0.01;
  EXPECT_THAT(refusal(kBoard, kernel, kHalf, {}), HasSubstr("a standard deviation is at least 0: `-0.01`"));
  EXPECT_THAT(refusal(kBoard, kCompute, kHalf, {.measured = {.of_one = kNoNumber}}), HasSubstr("at least 0: `nan`"));
  EXPECT_THAT(refusal(kBoard, kCompute, {.ratio = {0, 4}}, {}), HasSubstr("has no blocks: `0:4`"));
}

}  // namespace
}  // namespace wattune::model
