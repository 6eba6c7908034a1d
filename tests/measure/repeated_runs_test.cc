#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// A device on which run i takes time_of(i).
class FakeRunner : public Runner {
 public:
  explicit FakeRunner(std::function<Nanoseconds(std::size_t)> time_of) : time_of_(std::move(time_of)) {}

  Result<std::vector<Sample>> run(std::size_t n) override {
    batches.push_back(n);
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < n; ++i) {
      if (runs == broken_at) return Error(ErrorCode::device_lost, "gone");
      samples.push_back({time_of_(runs++)});
      busy += samples.back().time;
    }
    return samples;
  }
  Nanoseconds busy_time() const override { return clock_works ? busy : Nanoseconds(); }

  std::vector<std::size_t> batches;
  std::size_t runs = 0;
  std::size_t broken_at = ~std::size_t{0};
  Nanoseconds busy;
  bool clock_works = true;

 private:
  std::function<Nanoseconds(std::size_t)> time_of_;
};

FakeRunner constant(Nanoseconds time) {
  return FakeRunner([time](std::size_t) { return time; });
}

// Makes a device that alternates between 1 ms and 2 ms, so that no interval of the median is narrow.
FakeRunner noisy() {
  return FakeRunner([](std::size_t i) { return nanoseconds_from_ms(i % 2 == 0 ? 1.0 : 2.0); });
}

SamplingOptions without_warm_up() {
  SamplingOptions options;
  options.warm_up = Nanoseconds(0);
  return options;
}

// Runs take 1 ms each: batches of 1, 2, 4, 8 make 15 ms, then 5 runs fill 20 ms.
TEST(RepeatedRuns, WarmsUpByTimeBeforeTheFirstSample) {
  FakeRunner runner = constant(nanoseconds_from_ms(1));
  const auto samples = make_repeated_runs({})->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_THAT(runner.batches, ElementsAre(1, 2, 4, 8, 5, 7));
  EXPECT_EQ(samples->size(), 7u);
}

TEST(RepeatedRuns, OneLongRunIsWarmUpEnough) {
  FakeRunner runner = constant(nanoseconds_from_seconds(1));
  ASSERT_TRUE(make_repeated_runs({})->measure(runner, {}));
  EXPECT_THAT(runner.batches, ElementsAre(1, 7));
}

TEST(RepeatedRuns, DoesNotWarmUpABusyDevice) {
  FakeRunner runner = constant(nanoseconds_from_ms(1));
  runner.busy = nanoseconds_from_ms(20);
  ASSERT_TRUE(make_repeated_runs({})->measure(runner, {}));
  EXPECT_THAT(runner.batches, ElementsAre(7));
}

TEST(RepeatedRuns, WarmUpEndsWithoutAClock) {
  FakeRunner runner = constant(Nanoseconds(0));
  runner.clock_works = false;
  const auto samples = make_repeated_runs({})->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_THAT(*samples, Each(Sample{Nanoseconds(0)}));
}

TEST(RepeatedRuns, SteadyTimesNeedTheMinimumOnly) {
  FakeRunner runner = constant(nanoseconds_from_ms(1));
  const auto samples = make_repeated_runs(without_warm_up())->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 7u);
}

// Time allows for 200 ms / 1.5 ms = 133 runs; the maximum is 100.
TEST(RepeatedRuns, NoisyTimesEndAtTheMaximum) {
  FakeRunner runner = noisy();
  const auto samples = make_repeated_runs(without_warm_up())->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 100u);
  EXPECT_EQ(runner.runs, 100u);
}

// Seven samples take 10 ms (1, 2, ..., 1) and their median is 1 ms. So 10 ms are left for ten runs, but a batch at most
// doubles. After 14 samples 21 ms are spent.
TEST(RepeatedRuns, NoisyTimesEndWhenTheTimeIsSpent) {
  FakeRunner runner = noisy();
  SamplingOptions options = without_warm_up();
  options.max_time = nanoseconds_from_ms(20);
  const auto samples = make_repeated_runs(options)->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_THAT(runner.batches, ElementsAre(7, 7));
}

TEST(RepeatedRuns, MinimumIsTakenHoweverLongARunIs) {
  FakeRunner runner = constant(nanoseconds_from_seconds(10));
  const auto samples = make_repeated_runs(without_warm_up())->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 7u);
}

// At 7 samples the interval is min..max = 96..104, with a half width of 4 %. At 14, of 96 100x12 104, x_(3)..x_(12) has
// width 0.
TEST(RepeatedRuns, StopsOnceTheIntervalIsNarrow) {
  FakeRunner runner([](std::size_t i) { return Nanoseconds(i == 0 ? 96 : i == 1 ? 104 : 100); });
  const auto samples = make_repeated_runs(without_warm_up())->measure(runner, {});
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 14u);
}

TEST(RepeatedRuns, FailsAsTheRunnerDoes) {
  FakeRunner runner = constant(nanoseconds_from_ms(1));
  runner.broken_at = 3;
  const auto samples = make_repeated_runs(without_warm_up())->measure(runner, {});
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code(), ErrorCode::device_lost);
}

TEST(SamplingOptions, RefuseWhatCannotBe) {
  EXPECT_TRUE(SamplingOptions{}.validate());
  SamplingOptions options;
  options.min_samples = 0;
  EXPECT_FALSE(options.validate());
  options = {};
  options.max_samples = options.min_samples - 1;
  EXPECT_FALSE(options.validate());
  options = {};
  options.max_time = Nanoseconds(-1);
  EXPECT_FALSE(options.validate());
  options = {};
  options.relative_precision = std::nan("");
  EXPECT_FALSE(options.validate());
  options = {};
  options.slower_factor = 0.9;
  EXPECT_FALSE(options.validate());
}

}  // namespace
}  // namespace wattune::measure
