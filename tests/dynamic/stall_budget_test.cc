#include "dynamic/tuning/stall_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "dynamic/times.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::dynamic {
namespace {

TEST(StallBudget, AffordsNothingBeforeTheFirstCall) {
  const StallBudget stall_budget({.share = 0.5, .longest = ms(5)});
  EXPECT_FALSE(stall_budget.affords(ms(1), ms(1000)));
  EXPECT_TRUE(stall_budget.affords(ms(0), ms(1000)));
}

TEST(StallBudget, TheShareCountsFromTheFirstCall) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(1000));
  stall_budget.begin(ms(5000));
  EXPECT_EQ(stall_budget.running(ms(1050)), ms(50));
  // 2 % of 50 ms is 1 ms.
  EXPECT_TRUE(stall_budget.affords(ms(1), ms(1050)));
  EXPECT_FALSE(stall_budget.affords(ms(1.001), ms(1050)));
}

// The budget is 2 % of 500 ms, until the application has run for longer.
TEST(StallBudget, TheShareOfWhatIsExpectedMayBeSpentAtOnce) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(500)});
  stall_budget.begin(ms(0));
  stall_budget.expect(ms(800));
  stall_budget.expect(ms(-300));
  EXPECT_TRUE(stall_budget.affords(ms(10), ms(1)));
  EXPECT_FALSE(stall_budget.affords(ms(10.001), ms(500)));
  EXPECT_TRUE(stall_budget.affords(ms(12), ms(600)));
}

TEST(StallBudget, OneCallIsBoundedByItsWorstCase) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(0));
  EXPECT_TRUE(stall_budget.affords({.expected = ms(1), .longest = ms(5)}, ms(10'000)));
  EXPECT_FALSE(stall_budget.affords({.expected = ms(1), .longest = ms(5.1)}, ms(10'000)));
}

TEST(StallBudget, TwiceTheTimeOfACallIsAffordableBesidesUnlessTheUserSaysOtherwise) {
  const StallBudget by_default{Budget{}};
  EXPECT_EQ(by_default.most(ms(0)), ms(5));
  EXPECT_EQ(by_default.most(ms(30)), ms(65));
  EXPECT_EQ(StallBudget({.longest = ms(5)}).most(ms(30)), ms(5));
}

// The budget is 2 % of 1,000 ms, and half of 100 ms.
TEST(StallBudget, HalfOfWhatTuningSavedMayBeSpentOnMore) {
  StallBudget stall_budget({.share = 0.02, .reinvested = 0.5, .longest = ms(500)});
  stall_budget.begin(ms(0));
  EXPECT_FALSE(stall_budget.affords(ms(21), ms(1000)));
  stall_budget.save(ms(100));
  stall_budget.save(ms(-100));
  EXPECT_TRUE(stall_budget.affords(ms(70), ms(1000)));
  EXPECT_FALSE(stall_budget.affords(ms(71), ms(1000)));
}

TEST(StallBudget, WhatIsPromisedIsSpentUntilItIsSettled) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(0));
  EXPECT_TRUE(stall_budget.reserve(ms(2), ms(150)));  // of 3 ms
  EXPECT_FALSE(stall_budget.reserve(ms(2), ms(150)));
  stall_budget.settle(ms(2), ms(0.5), &Stalls::exploring);
  EXPECT_TRUE(stall_budget.reserve(ms(2), ms(150)));
  EXPECT_EQ(stall_budget.stalls().exploring, ms(0.5));
}

TEST(StallBudget, WhatIsFasterThanTheBestSavesNothing) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(0));
  stall_budget.charge(ms(1), &Stalls::loading);
  stall_budget.charge(ms(-1), &Stalls::exploring);
  EXPECT_EQ(stall_budget.stalls().total(), ms(1));
}

TEST(StallBudget, CallsAreCountedByPowersOfTwoMicroseconds) {
  StallBudget stall_budget({});
  stall_budget.note_call(Nanoseconds(-5));
  stall_budget.note_call(Nanoseconds(999));   // below 1 us: bin 0
  stall_budget.note_call(Nanoseconds(1000));  // 1 to 2 us: bin 1
  stall_budget.note_call(Nanoseconds(5000));  // 4 to 8 us: bin 3
  stall_budget.note_call(nanoseconds_from_seconds(1e6));
  const StallHistogram histogram = stall_budget.histogram();
  EXPECT_EQ(histogram.counts[0], 2);
  EXPECT_EQ(histogram.counts[1], 1);
  EXPECT_EQ(histogram.counts[3], 1);
  EXPECT_EQ(histogram.counts.back(), 1);
  EXPECT_EQ(stall_budget.longest(), nanoseconds_from_seconds(1e6));
}

// If each caller keeps to its reservation, the share holds, whatever is asked for and in whichever order calls end.
TEST(StallBudget, NeverPromisesMoreThanTheBudget) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
    stall_budget.begin(ms(0));
    Nanoseconds now;
    std::vector<Nanoseconds> promised;
    for (int step = 0; step < 5000; ++step) {
      now += ms(random.uniform());
      const Nanoseconds wanted = ms(8.0 * random.uniform());
      if (stall_budget.reserve(wanted, now)) {
        EXPECT_LE(wanted, ms(5));
        promised.push_back(wanted);
      }
      if (promised.empty() || random.below(3) > 0) continue;
      std::swap(promised[random.below(promised.size())], promised.back());
      stall_budget.settle(promised.back(), random.uniform() * promised.back(), &Stalls::exploring);
      promised.pop_back();
      EXPECT_LE(stall_budget.stalls().total(), 0.02 * now);
    }
    Nanoseconds open;
    for (const Nanoseconds each : promised) open += each;
    EXPECT_LE(stall_budget.stalls().total() + open, 0.02 * now);
    EXPECT_GT(stall_budget.stalls().total(), 0.005 * now) << "it must not be stingy either";
  }
}

TEST(StallBudget, ThreadsSpendNothingTwice) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(0));
  std::atomic<int> promises = 0;
  const auto spend = [&] {
    for (int i = 0; i < 10'000; ++i)
      if (stall_budget.reserve(ms(1), ms(10'000))) ++promises;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(spend);
  }
  EXPECT_EQ(promises, 200);  // 2 % of 10 s
}

}  // namespace
}  // namespace wattune::dynamic
