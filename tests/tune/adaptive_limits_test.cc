#include "tune/evaluate/adaptive_limits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattune::inline v0_1::tune {
namespace {

Limits seconds(double compile, double run, double compile_floor, double run_floor) {
  Limits limits;
  limits.compile = nanoseconds_from_seconds(compile);
  limits.run = nanoseconds_from_seconds(run);
  limits.compile_floor = nanoseconds_from_seconds(compile_floor);
  limits.run_floor = nanoseconds_from_seconds(run_floor);
  return limits;
}

TEST(AdaptiveLimits, StartWide) {
  const AdaptiveLimits limits(seconds(120, 60, 10, 1));
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(120));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(60));
  EXPECT_FALSE(limits.compile_is_tightened());
  EXPECT_FALSE(limits.run_is_tightened());
  EXPECT_EQ(limits.compile_in_words(), "its compile limit of 120 s");
  EXPECT_EQ(limits.run_in_words(), "its run limit of 60 s");
}

TEST(AdaptiveLimits, SayWhyTheyAreTighterThanTheUserSetThem) {
  AdaptiveLimits limits(seconds(120, 60, 10, 1));
  limits.saw_compile(nanoseconds_from_seconds(2));
  limits.saw_run(nanoseconds_from_seconds(0.1));
  EXPECT_EQ(limits.compile_in_words(),
            "its compile limit of 20 s (120 s, tightened because the longest compile so far took 2 s)");
  EXPECT_EQ(limits.run_in_words(), "its run limit of 2 s (60 s, tightened because the fastest run so far took 0.1 s)");
}

TEST(AdaptiveLimits, AreWideForASecondTry) {
  AdaptiveLimits limits(seconds(120, 60, 10, 1));
  limits.saw_compile(nanoseconds_from_seconds(1));
  limits.saw_run(nanoseconds_from_seconds(1));
  limits.widen(true);
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(120));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(60));
  limits.widen(false);
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(10));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(20));
}

// The compile limit is 10 times the slowest compile: 30 s. The run limit is 20 times the fastest run: 10 s.
TEST(AdaptiveLimits, FollowTheSlowestCompileAndTheFastestRun) {
  AdaptiveLimits limits(seconds(120, 60, 10, 1));
  for (double t : {1.0, 3.0, 2.0}) limits.saw_compile(nanoseconds_from_seconds(t));
  for (double t : {1.0, 0.5, 2.0}) limits.saw_run(nanoseconds_from_seconds(t));
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(30));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(10));
}

TEST(AdaptiveLimits, NeverFallBelowTheFloors) {
  AdaptiveLimits limits(seconds(120, 60, 10, 1));
  limits.saw_compile(nanoseconds_from_ms(1));
  limits.saw_run(Nanoseconds(1));
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(10));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(1));
}

TEST(AdaptiveLimits, NeverRiseAboveWhatTheUserAllowed) {
  AdaptiveLimits limits(seconds(5, 2, 10, 3));
  limits.saw_compile(nanoseconds_from_seconds(4));
  limits.saw_run(nanoseconds_from_seconds(1.9));
  EXPECT_EQ(limits.compile(), nanoseconds_from_seconds(5));
  EXPECT_EQ(limits.run(), nanoseconds_from_seconds(2));
}

TEST(AdaptiveLimits, RefuseWhatCannotBe) {
  EXPECT_TRUE(Limits{}.validate());
  EXPECT_FALSE(seconds(0, 60, 10, 1).validate());
  EXPECT_FALSE(seconds(120, std::nan(""), 10, 1).validate());
  EXPECT_FALSE(seconds(120, 60, 10, -1).validate());
  Limits limits;
  limits.run_factor = 0.5;
  EXPECT_FALSE(limits.validate());
}

}  // namespace
}  // namespace wattune::tune
