#include "schedule/machine/end_watch.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::schedule {
namespace {

constexpr Nanoseconds us(double value) { return Nanoseconds(value * 1e3); }

struct Seen {
  int looks = 0;
  Nanoseconds late;
};

// Simulates a watch in virtual time: a look takes 1 us, and a sleep lasts 60 us longer than requested.
Seen watch(Nanoseconds expected, Nanoseconds taken) {
  Seen seen;
  Nanoseconds ran;
  for (;;) {
    ++seen.looks;
    if (ran >= taken) break;
    const Nanoseconds pause = EndWatch::pause(ran, expected);
    ran += pause.value() > 0.0 ? pause + us(61) : us(1);
  }
  seen.late = ran - taken;
  return seen;
}

// The 9,500 us before the window pass in steps of 261; then looks of 1 us follow until the window ends.
TEST(EndWatch, AnEndThatIsExpectedIsSeenAtOnce) {
  for (const double taken : {9'800.0, 10'000.0, 10'400.0}) {
    const Seen seen = watch(us(10'000), us(taken));
    EXPECT_LE(seen.late, us(1)) << taken;
    EXPECT_LE(seen.looks, 37 + (taken - 9'500.0) + 2) << taken;
  }
  EXPECT_LE(watch(us(30), us(30)).late, us(1));
}

// The end is seen by the look after a sleep of 200 us; the 61 us are the delay of the sleep and the look.
TEST(EndWatch, AnEndThatComesEarlyIsSeenAfterASleep) { EXPECT_LE(watch(us(10'000), us(4'000)).late, us(261)); }

// The window takes 1,000 looks and the time before it 37. After it sleeps begin with 62 us and soon reach 200, so less
// than 12 looks per ms are made.
TEST(EndWatch, AnEndThatComesLateBurnsNoCore) {
  const Seen seen = watch(us(10'000), us(1'000'000));
  EXPECT_LE(seen.looks, 37 + 1'000 + 12 * 990);
  EXPECT_LE(seen.late, us(261));
  EXPECT_LE(watch(us(10'000), us(10'800)).late, us(800.0 / 8 + 61));
}

TEST(EndWatch, WhatNothingIsKnownOfIsLookedAtEverLessOften) {
  EXPECT_LE(watch(us(0), us(90)).late, us(1));
  EXPECT_LE(watch(us(0), us(600)).late, us(600.0 / 8 + 61));
  EXPECT_LE(watch(us(0), us(100'000)).late, us(261));
}

KernelTraits some_kernel() {
  KernelTraits traits{.name = "k", .block = {}, .blocks = 1000, .alone = us(1000), .profile = {}, .utilisation = {}};
  traits.rate_at_residency = {0.5, 1.0};
  traits.saturating_share = 0.5;
  return traits;
}

TEST(EndWatch, ExpectsWhatTheShareTakesAlone) {
  const EndWatch watch;
  const KernelTraits kernel = some_kernel();
  const MachineLimits limits{.sms = 10};
  const auto expected = [&](const Launch& launch) { return watch.expected(kernel, launch, limits); };
  EXPECT_EQ(expected({.blocks = 1000}), us(1000));
  EXPECT_EQ(expected({.form = Form::slices, .blocks = 100}), us(100));
  EXPECT_EQ(expected({.form = Form::persistent, .blocks = 1000, .per_sm = 1}), us(2000));
  EXPECT_EQ(expected({.blocks = 1000, .sms = {0, 5}}), us(1000));
  EXPECT_EQ(expected({.blocks = 1000, .sms = {0, 2}}), us(2500));
  EXPECT_EQ(watch.expected({.name = "unknown", .blocks = 1000}, {.blocks = 1000}, limits), us(0));
}

TEST(EndWatch, ExpectsWhatTheLastOfAShareTook) {
  EndWatch watch;
  const MachineLimits limits{.sms = 10};
  const Launch share{.form = Form::persistent, .blocks = 1000, .per_sm = 1};
  watch.learn(share, us(1500), 500);
  EXPECT_EQ(watch.expected(some_kernel(), share, limits), us(3000));
  EXPECT_EQ(watch.expected(some_kernel(), {.blocks = 1000}, limits), us(1000));
  watch.learn(share, us(7), 0);  // stopped before its first block
  EXPECT_EQ(watch.expected(some_kernel(), share, limits), us(3000));
}

}  // namespace
}  // namespace wattune::schedule
