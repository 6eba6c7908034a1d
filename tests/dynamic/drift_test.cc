#include "dynamic/tuning/drift.h"

#include <gtest/gtest.h>

#include "dynamic/fakes.h"
#include "dynamic/times.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using fakes::FakeEvent;

struct DriftTest : testing::Test {
  TimedCall timed(Result<Nanoseconds> time) {
    std::vector<std::unique_ptr<backend::Event>> events;
    events.push_back(std::make_unique<FakeEvent>(std::move(time), ready));
    return TimedCall(std::move(events));
  }
  std::optional<Moved> watch(Drift& watched, Nanoseconds time) {
    watched.watch(timed(time));
    return watched.collect(now);
  }
  // Makes `count` calls of about this time, with noise of 2 %. Returns the last report of a move.
  std::optional<Moved> calls(Drift& watched, int count, Nanoseconds time) {
    std::optional<Moved> moved;
    for (int i = 0; i < count; ++i)
      if (const auto told = watch(watched, time * (1.0 + 0.02 * random.uniform()))) moved = told;
    return moved;
  }

  bool ready = true;
  Nanoseconds now;
  Random random{1};
  DeviceDrift device;
  Drift drift{0.15, device};
};

TEST_F(DriftTest, WatchesOneCallInSoMany) {
  const auto clock = [this] { return now += us(100); };
  WatchedCalls watched(64);
  int due = 0;
  for (std::uint64_t number = 0; number < 64'000; ++number) due += watched.due(number, clock);
  EXPECT_EQ(due, 10) << "one each 10 ms, of 100 ms in which 1,000 came in question";
  WatchedCalls never(0);
  EXPECT_FALSE(never.due(63, clock));
}

TEST_F(DriftTest, NoiseIsNoDrift) { EXPECT_FALSE(calls(drift, 1000, us(100))); }

TEST_F(DriftTest, LessThanThePolicyAllowsIsNoDrift) {
  calls(drift, 16, us(100));
  EXPECT_FALSE(calls(drift, 100, us(112)));
}

TEST_F(DriftTest, SlowerTimesAreToldOnceAndThenExpected) {
  calls(drift, 16, us(100));
  const std::optional<Moved> moved = calls(drift, 32, us(130));
  ASSERT_TRUE(moved);
  EXPECT_NEAR(moved->ratio, 1.3, 0.02);
  EXPECT_EQ(moved->cause, Cause::kernel);
  EXPECT_FALSE(calls(drift, 200, us(130)));
}

TEST_F(DriftTest, FasterTimesAreDriftToo) {
  calls(drift, 16, us(100));
  const std::optional<Moved> moved = calls(drift, 32, us(80));  // 1 / 0.8 is 1.25
  ASSERT_TRUE(moved);
  EXPECT_NEAR(moved->ratio, 0.8, 0.02);
}

TEST_F(DriftTest, AFewLongCallsAreNoDrift) {
  calls(drift, 16, us(100));
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(calls(drift, 2, us(100)));
    EXPECT_FALSE(watch(drift, us(1000)));
  }
}

// Times vary between 100 and 200 us. Medians of 16 differ by more than 15 % now and then, but their intervals overlap.
TEST_F(DriftTest, WhatVariesMuchMustMoveFar) {
  for (int i = 0; i < 2000; ++i) EXPECT_FALSE(watch(drift, us(100 + 100 * random.uniform())));
}

TEST_F(DriftTest, AnotherBestIsLearnedAnew) {
  calls(drift, 16, us(100));
  drift.begin_anew();
  EXPECT_FALSE(calls(drift, 100, us(50)));
}

TEST_F(DriftTest, CollectingNeverWaits) {
  ready = false;
  EXPECT_FALSE(calls(drift, 100, us(100)));
  ready = true;
  EXPECT_FALSE(drift.collect(now));
}

TEST_F(DriftTest, CallsThatFailedSayNothing) {
  calls(drift, 16, us(100));
  for (int i = 0; i < 100; ++i) {
    drift.watch(timed(Error(ErrorCode::launch_failed, "no")));
    EXPECT_FALSE(drift.collect(now));
  }
}

// A lower clock makes all kernels slower, memory-bound ones less.
TEST_F(DriftTest, WhereMostKernelsMoveItIsTheDevice) {
  Drift second(0.15, device);
  Drift third(0.15, device);
  for (Drift* const each : {&drift, &second, &third}) calls(*each, 32, us(100));
  std::optional<Moved> moved;
  for (int i = 0; i < 40; ++i) {
    calls(second, 1, us(140));
    EXPECT_FALSE(calls(third, 1, us(114)));
    if (const auto told = calls(drift, 1, us(140))) moved = told;
  }
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->cause, Cause::device);
}

TEST_F(DriftTest, WhereOneOfThreeMovesItIsTheKernel) {
  Drift second(0.15, device);
  Drift third(0.15, device);
  std::optional<Moved> moved;
  for (int i = 0; i < 80; ++i) {
    for (Drift* const each : {&second, &third}) EXPECT_FALSE(calls(*each, 1, us(100)));
    if (const auto told = calls(drift, 1, us(i < 40 ? 100 : 140))) moved = told;
  }
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->cause, Cause::kernel);
}

TEST_F(DriftTest, KernelsThatWereNotSeenLatelySayNothingOfTheDevice) {
  Drift second(0.15, device);
  for (Drift* const each : {&drift, &second}) calls(*each, 32, us(100));
  calls(second, 32, us(140));
  now = nanoseconds_from_seconds(11);
  EXPECT_EQ(calls(drift, 32, us(140))->cause, Cause::kernel);
}

}  // namespace
}  // namespace wattune::dynamic
