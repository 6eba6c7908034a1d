#include "dynamic/ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "dynamic/times.h"
#include "wattune/core/random.h"

namespace wattune::dynamic {
namespace {

TEST(Ledger, AffordsNothingBeforeTheFirstCall) {
  const Ledger ledger({.share = 0.5, .longest = ms(5)});
  EXPECT_FALSE(ledger.affords(ms(1), ms(1000)));
  EXPECT_TRUE(ledger.affords(ms(0), ms(1000)));
}

TEST(Ledger, TheShareCountsFromTheFirstCall) {
  Ledger ledger({.share = 0.02, .longest = ms(5)});
  ledger.begin(ms(1000));
  ledger.begin(ms(5000));
  EXPECT_EQ(ledger.running(ms(1050)), ms(50));
  // 2 % of 50 ms is 1 ms.
  EXPECT_TRUE(ledger.affords(ms(1), ms(1050)));
  EXPECT_FALSE(ledger.affords(ms(1.001), ms(1050)));
}

// The budget is 2 % of 500 ms, until the application has run for longer.
TEST(Ledger, TheShareOfWhatIsExpectedMayBeSpentAtOnce) {
  Ledger ledger({.share = 0.02, .longest = ms(500)});
  ledger.begin(ms(0));
  ledger.expect(ms(800));
  ledger.expect(ms(-300));
  EXPECT_TRUE(ledger.affords(ms(10), ms(1)));
  EXPECT_FALSE(ledger.affords(ms(10.001), ms(500)));
  EXPECT_TRUE(ledger.affords(ms(12), ms(600)));
}

TEST(Ledger, OneCallIsBoundedByItsWorstCase) {
  Ledger ledger({.share = 0.02, .longest = ms(5)});
  ledger.begin(ms(0));
  EXPECT_TRUE(ledger.affords({.expected = ms(1), .longest = ms(5)}, ms(10'000)));
  EXPECT_FALSE(ledger.affords({.expected = ms(1), .longest = ms(5.1)}, ms(10'000)));
}

TEST(Ledger, TwiceTheTimeOfACallIsAffordableBesidesUnlessTheUserSaysOtherwise) {
  const Ledger by_default{Budget{}};
  EXPECT_EQ(by_default.most(ms(0)), ms(5));
  EXPECT_EQ(by_default.most(ms(30)), ms(65));
  EXPECT_EQ(Ledger({.longest = ms(5)}).most(ms(30)), ms(5));
}

// The budget is 2 % of 1,000 ms, and half of 100 ms.
TEST(Ledger, HalfOfWhatTuningSavedMayBeSpentOnMore) {
  Ledger ledger({.share = 0.02, .reinvested = 0.5, .longest = ms(500)});
  ledger.begin(ms(0));
  EXPECT_FALSE(ledger.affords(ms(21), ms(1000)));
  ledger.save(ms(100));
  ledger.save(ms(-100));
  EXPECT_TRUE(ledger.affords(ms(70), ms(1000)));
  EXPECT_FALSE(ledger.affords(ms(71), ms(1000)));
}

TEST(Ledger, WhatIsPromisedIsSpentUntilItIsSettled) {
  Ledger ledger({.share = 0.02, .longest = ms(5)});
  ledger.begin(ms(0));
  EXPECT_TRUE(ledger.reserve(ms(2), ms(150)));  // of 3 ms
  EXPECT_FALSE(ledger.reserve(ms(2), ms(150)));
  ledger.settle(ms(2), ms(0.5), &Stalls::exploring);
  EXPECT_TRUE(ledger.reserve(ms(2), ms(150)));
  EXPECT_EQ(ledger.stalls().exploring, ms(0.5));
}

TEST(Ledger, WhatIsFasterThanTheBestSavesNothing) {
  Ledger ledger({.share = 0.02, .longest = ms(5)});
  ledger.begin(ms(0));
  ledger.charge(ms(1), &Stalls::loading);
  ledger.charge(ms(-1), &Stalls::exploring);
  EXPECT_EQ(ledger.stalls().total(), ms(1));
}

TEST(Ledger, CallsAreCountedByPowersOfTwoMicroseconds) {
  Ledger ledger({});
  ledger.note_call(Nanoseconds(-5));
  ledger.note_call(Nanoseconds(999));   // below 1 us: bin 0
  ledger.note_call(Nanoseconds(1000));  // 1 to 2 us: bin 1
  ledger.note_call(Nanoseconds(5000));  // 4 to 8 us: bin 3
  ledger.note_call(nanoseconds_from_seconds(1e6));
  const StallHistogram histogram = ledger.histogram();
  EXPECT_EQ(histogram.counts[0], 2);
  EXPECT_EQ(histogram.counts[1], 1);
  EXPECT_EQ(histogram.counts[3], 1);
  EXPECT_EQ(histogram.counts.back(), 1);
  EXPECT_EQ(ledger.longest(), nanoseconds_from_seconds(1e6));
}

// If each caller keeps to its reservation, the share holds, whatever is asked for and in whichever order calls end.
TEST(Ledger, NeverPromisesMoreThanTheBudget) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Ledger ledger({.share = 0.02, .longest = ms(5)});
    ledger.begin(ms(0));
    Nanoseconds now;
    std::vector<Nanoseconds> promised;
    for (int step = 0; step < 5000; ++step) {
      now += ms(random.uniform());
      const Nanoseconds wanted = ms(8.0 * random.uniform());
      if (ledger.reserve(wanted, now)) {
        EXPECT_LE(wanted, ms(5));
        promised.push_back(wanted);
      }
      if (promised.empty() || random.below(3) > 0) continue;
      std::swap(promised[random.below(promised.size())], promised.back());
      ledger.settle(promised.back(), random.uniform() * promised.back(), &Stalls::exploring);
      promised.pop_back();
      EXPECT_LE(ledger.stalls().total(), 0.02 * now);
    }
    Nanoseconds open;
    for (const Nanoseconds each : promised) open += each;
    EXPECT_LE(ledger.stalls().total() + open, 0.02 * now);
    EXPECT_GT(ledger.stalls().total(), 0.005 * now) << "it must not be stingy either";
  }
}

TEST(Ledger, ThreadsSpendNothingTwice) {
  Ledger ledger({.share = 0.02, .longest = ms(5)});
  ledger.begin(ms(0));
  std::atomic<int> promises = 0;
  const auto spend = [&] {
    for (int i = 0; i < 10'000; ++i)
      if (ledger.reserve(ms(1), ms(10'000))) ++promises;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(spend);
  }
  EXPECT_EQ(promises, 200);  // 2 % of 10 s
}

}  // namespace
}  // namespace wattune::dynamic
