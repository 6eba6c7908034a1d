// Tests how two kernels are measured of which several works run at once.
#include "schedule/queue/streams_meter.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::schedule {
namespace {

constexpr Nanoseconds kMs = nanoseconds_from_ms(1);

// Four works of 2 ms and four of 1 ms end one after another, each in half of its time alone. The last one is faster
// than it may be if it runs alone.
TEST(StreamsMeter, TellsTheTimeAloneOfTheWorksThatEnded) {
  StreamsMeter meter({3, 5}, {.whole = true, .many_streams = true});
  Nanoseconds end;
  for (int i = 0; i < 4; ++i) {
    end += kMs;
    meter.add(3, 2.0 * kMs, Nanoseconds(), end);
    end += 0.5 * kMs;
    meter.add(5, kMs, Nanoseconds(), end);
  }
  const auto speeds = meter.speeds({});
  ASSERT_TRUE(speeds);
  EXPECT_NEAR((*speeds)[0], 4.0 / 3.0, 0.07);
  EXPECT_NEAR((*speeds)[1], 2.0 / 3.0, 0.07);
  EXPECT_EQ(meter.works(), (std::array<std::size_t, 2>{4, 4}));
}

// The last work runs on alone. In a longer run another one would fill the SMs that the others left.
TEST(StreamsMeter, TakesOffWhatTheLastWorkDidAlone) {
  StreamsMeter meter({0, 1}, {.whole = true, .many_streams = true});
  meter.add(0, 2.0 * kMs, Nanoseconds(), 2.0 * kMs);
  meter.add(1, 4.0 * kMs, Nanoseconds(), 4.0 * kMs);
  const auto speeds = meter.speeds({});
  ASSERT_TRUE(speeds);
  EXPECT_NEAR((*speeds)[0] + (*speeds)[1], 2.0, 1e-9);
}

TEST(StreamsMeter, TellsNothingOfOneKernelOrOfFewWorksWhileOthersRun) {
  StreamsMeter meter({0, 1}, {.whole = true, .many_streams = true});
  meter.add(0, kMs, Nanoseconds(), kMs);
  EXPECT_FALSE(meter.speeds({}));
  meter.add(1, kMs, Nanoseconds(), 2.0 * kMs);
  EXPECT_TRUE(meter.speeds({}));
  EXPECT_FALSE(meter.speeds(kMs));
}

// Sixteen works are under way at any time, one of which ends every half of a millisecond.
TEST(StreamsMeter, IgnoresWorksThatWereUnderWayWhenItBegan) {
  StreamsMeter meter({0, 1}, {.whole = true, .many_streams = true});
  meter.add(0, kMs, Nanoseconds(), 8.0 * kMs);
  meter.restart();
  for (int i = 0; i < 64; ++i) meter.add(i % 2, kMs, (1.0 + 0.5 * i) * kMs, (9.0 + 0.5 * i) * kMs);
  const auto speeds = meter.speeds(33.0 * kMs);
  ASSERT_TRUE(speeds);
  EXPECT_NEAR((*speeds)[0] + (*speeds)[1], 2.0, 0.01);
}

// Eight works begin at a time, one at once, and wait for each other. So they do not tell the speed when nothing ran
// before.
TEST(StreamsMeter, LeavesOutWorksThatWaitedForEachOtherAtTheBeginning) {
  StreamsMeter meter({0, 1}, {.whole = true, .many_streams = true});
  for (int i = 0; i < 48; ++i) meter.add(i % 2, kMs, std::max(0, i - 7) * kMs, (i + 1) * kMs);
  for (const auto first_that_runs : {std::optional(41.0 * kMs), std::optional<Nanoseconds>()}) {
    const auto speeds = meter.speeds(first_that_runs);
    ASSERT_TRUE(speeds);
    EXPECT_NEAR((*speeds)[0] + (*speeds)[1], 1.0, 0.01);
  }
}

// Twenty works of the urgent kernel run first, four times as fast as those of the other.
TEST(StreamsMeter, TakesAllWorksWithPriorities) {
  StreamsMeter meter({0, 1}, {.whole = true, .urgent = 0, .many_streams = true});
  for (int i = 0; i < 20; ++i) meter.add(0, kMs, 0.25 * i * kMs, 0.25 * (i + 1) * kMs);
  for (int i = 0; i < 20; ++i) meter.add(1, kMs, (5.0 + i) * kMs, (6.0 + i) * kMs);
  EXPECT_FALSE(meter.speeds(25.0 * kMs));
  const auto speeds = meter.speeds({});
  ASSERT_TRUE(speeds);
  EXPECT_NEAR((*speeds)[0] + (*speeds)[1], 1.6, 0.05);
}

// Sixteen works begin at once and end at once, again and again.
TEST(StreamsMeter, KnowsWorksThatEndManyAtATime) {
  StreamsMeter meter({0, 1}, {.whole = true, .many_streams = true});
  for (int i = 0; i < 64; ++i) meter.add(i % 2, kMs, 4.0 * (i / 16) * kMs, 4.0 * (i / 16 + 1) * kMs);
  const auto speeds = meter.speeds(12.0 * kMs);
  ASSERT_TRUE(speeds);
  EXPECT_NEAR((*speeds)[0] + (*speeds)[1], 4.0, 0.1);
}

}  // namespace
}  // namespace wattune::schedule
