#include "dynamic/tuning/duel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dynamic/times.h"
#include "dynamic/tuning/slowness.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::ElementsAre;

// A best known that takes 1 ms.
struct DuelTest : testing::Test {
  Statistics best = measure::summarize({{us(1000)}, {us(1000)}, {us(1001)}});
  measure::Gate gate;  // knows nothing

  void take(Duel& duel, Duel::Who who, Nanoseconds time, bool others_busy = false) {
    duel.take(who, {.time = time}, others_busy, best, gate);
  }
  // Runs turns one after the other, with the times that `time_of` returns.
  std::vector<Duel::Who> run(Duel& duel, const std::function<Nanoseconds(Duel::Who)>& time_of,
                             std::size_t most = 1000) {
    std::vector<Duel::Who> turns;
    while (turns.size() < most) {
      const std::optional<Duel::Who> who = duel.turn();
      if (!who) break;
      duel.hand_out(*who);
      turns.push_back(*who);
      take(duel, *who, time_of(*who));
    }
    return turns;
  }
};

TEST_F(DuelTest, BeginsWithTheCandidateAloneAndThenTakesTurnsInVaryingOrder) {
  Duel duel;
  int calls = 0;
  const auto turns = run(
      duel, [&](Duel::Who) { return us(1000 + calls++ % 3); }, 9);
  constexpr auto a = Duel::candidate;
  constexpr auto b = Duel::best;
  EXPECT_THAT(turns, ElementsAre(a, a, b, b, a, a, b, b, a));
}

TEST_F(DuelTest, HasOneRoundUnderWay) {
  Duel duel;
  EXPECT_TRUE(duel.begins_round());
  duel.hand_out(*duel.turn());
  EXPECT_EQ(duel.turn(), std::nullopt) << "the first launch is alone";
  take(duel, Duel::candidate, us(1000));
  duel.hand_out(*duel.turn());
  EXPECT_FALSE(duel.begins_round());
  EXPECT_EQ(duel.turn(), Duel::best) << "which does not wait for the first half";
  duel.hand_out(Duel::best);
  EXPECT_EQ(duel.turn(), std::nullopt);
  take(duel, Duel::best, us(1000));
  EXPECT_EQ(duel.turn(), std::nullopt);
  take(duel, Duel::candidate, us(1000));
  EXPECT_EQ(duel.turn(), Duel::best);
}

// This costs nothing. An application that sends many calls at once gets a decision from these.
TEST_F(DuelTest, OfOneThatIsNoSlowerEightRoundsAreUnderWay) {
  Duel duel;
  const auto time_of = [](Duel::Who who) { return us(who == Duel::best ? 1000 : 990); };
  run(duel, time_of, 3);
  std::vector<Duel::Who> out;
  while (const std::optional<Duel::Who> who = duel.turn()) {
    duel.hand_out(*who);
    out.push_back(*who);
  }
  ASSERT_EQ(out.size(), 16);
  EXPECT_THAT(std::vector(out.begin(), out.begin() + 4),
              ElementsAre(Duel::best, Duel::candidate, Duel::candidate, Duel::best));
  for (const Duel::Who who : out) take(duel, who, time_of(who));
  EXPECT_EQ(duel.verdict(), Duel::Verdict::better);
  EXPECT_EQ(duel.rounds(), 8) << "of nine";
}

TEST_F(DuelTest, OfOneThatBecomesSlowerNoFurtherRoundBeginsBesidesThoseUnderWay) {
  Duel duel;
  run(
      duel, [](Duel::Who who) { return us(who == Duel::best ? 1000 : 990); }, 3);
  std::vector<Duel::Who> out;
  while (const std::optional<Duel::Who> who = duel.turn()) {
    duel.hand_out(*who);
    out.push_back(*who);
  }
  for (const Duel::Who who : std::vector(out.begin(), out.begin() + 2))
    take(duel, who, us(who == Duel::best ? 1000 : 1010));
  EXPECT_EQ(duel.verdict(), Duel::Verdict::open);
  EXPECT_FALSE(duel.turn());
}

TEST_F(DuelTest, AClearlySlowerFirstLaunchIsTheOnlyOne) {
  Duel duel;
  run(duel, [](Duel::Who) { return us(2100); });  // beyond twice 1001 us and 50 us
  EXPECT_EQ(duel.verdict(), Duel::Verdict::no);
  EXPECT_THAT(duel.samples(), ElementsAre(Sample{us(2100)}));
}

TEST_F(DuelTest, BeforeNoiseIsKnownTwiceTheTimeIsTooMuch) {
  Duel duel;
  int candidates = 0;
  run(duel, [&](Duel::Who who) { return who == Duel::best ? us(1000) : us(candidates++ == 0 ? 2050 : 2010); });
  EXPECT_EQ(duel.verdict(), Duel::Verdict::no);
  EXPECT_EQ(candidates, 2);
}

TEST_F(DuelTest, OnceNoiseIsKnownOneSampleBeyondItIsEnough) {
  for (int i = 0; i < 8; ++i) gate.learn(us(1000), us(1000 + i), us(1000));  // 0.7 % at most
  Duel duel;
  int candidates = 0;
  run(duel, [&](Duel::Who who) { return who == Duel::best ? us(1000) : (++candidates, us(1050)); });
  EXPECT_EQ(duel.verdict(), Duel::Verdict::no);
  EXPECT_EQ(candidates, 2) << "its first launch, and one";
}

TEST_F(DuelTest, WorseInThreeRoundsIsWorse) {
  Duel duel;
  run(duel, [](Duel::Who who) { return us(who == Duel::best ? 1000 : 1010); });
  EXPECT_EQ(duel.verdict(), Duel::Verdict::no);
  EXPECT_EQ(duel.rounds(), 3);
}

TEST_F(DuelTest, BetterInEightRoundsIsBetter) {
  Duel duel;
  run(duel, [](Duel::Who who) { return us(who == Duel::best ? 1000 : 990); });
  EXPECT_EQ(duel.verdict(), Duel::Verdict::better);
  EXPECT_EQ(duel.rounds(), 8);
  EXPECT_EQ(duel.samples().size(), 8) << "without the first launch";
}

TEST_F(DuelTest, DriftOfBothDecidesNothing) {
  Duel duel;
  double clock = 0.0;
  // Each turn is 1 % slower than the one before. The second half of each pair suffers from that, and the two take turns
  // at being second.
  run(duel, [&](Duel::Who) { return us(1000 * std::exp(clock += 0.01)); });
  EXPECT_EQ(duel.verdict(), Duel::Verdict::no);
}

TEST_F(DuelTest, APairOfWhichOneHalfHadCompanyDoesNotCount) {
  Duel duel;
  run(
      duel, [](Duel::Who) { return us(1000); }, 1);
  for (int round = 0; round < 4; ++round) {
    const bool alone_first = round % 2 == 0;
    for (int half = 0; half < 2; ++half) {
      const Duel::Who who = *duel.turn();
      duel.hand_out(who);
      take(duel, who, us(who == Duel::best ? 1000 : 1010), half == 0 ? alone_first : !alone_first);
    }
  }
  EXPECT_EQ(duel.rounds(), 0);
  EXPECT_EQ(duel.verdict(), Duel::Verdict::open);
}

TEST_F(DuelTest, ATurnThatCameToNothingEndsItsRoundOnly) {
  Duel duel;
  run(
      duel, [](Duel::Who) { return us(1000); }, 1);
  duel.hand_out(Duel::candidate);
  duel.hand_out(Duel::best);
  take(duel, Duel::candidate, us(1000));
  duel.take_nothing(Duel::best);
  EXPECT_EQ(duel.rounds(), 0);
  EXPECT_TRUE(duel.begins_round());
}

// At most 5 % of 1,000 duels of equals may be won by luck: there are three looks of 98.3 % each, and one end of each
// interval counts.
TEST_F(DuelTest, LuckSeldomWins) {
  Random random(3);
  int won = 0;
  for (int i = 0; i < 1000; ++i) {
    Duel duel;
    run(duel, [&](Duel::Who) { return us(1000 + 20 * random.uniform()); });
    ASSERT_NE(duel.verdict(), Duel::Verdict::open);
    won += duel.verdict() == Duel::Verdict::better;
  }
  EXPECT_LT(won, 50);
}

// Noise of 2 % against a gain of 3 %: the candidate is better in every round.
TEST_F(DuelTest, WhatIsBetterWins) {
  Random random(4);
  int won = 0;
  for (int i = 0; i < 100; ++i) {
    Duel duel;
    run(duel, [&](Duel::Who who) { return us((who == Duel::best ? 1000 : 970) * (1 + 0.02 * random.uniform())); });
    won += duel.verdict() == Duel::Verdict::better;
  }
  EXPECT_EQ(won, 100);
}

TEST(Slowness, TheUnknownTakesThreeTimesAsLong) {
  const Slowness slowness;
  EXPECT_EQ(slowness.average(), 3.0);
  EXPECT_EQ(slowness.bad(), 3.0);
}

TEST(Slowness, LearnsTheAverageAndWhatFewExceed) {
  Slowness slowness;
  slowness.learn(8.0);
  EXPECT_EQ(slowness.average(), 4.0);  // (4 * 3 + 8) / 5
  EXPECT_EQ(slowness.bad(), 8.0);
  for (int i = 1; i <= 63; ++i) slowness.learn(1.0 + i / 100.0);
  // With 64 ratios, one in ten of the next exceeds the sixth largest: 8, 1.63, 1.62, 1.61, 1.60, 1.59.
  EXPECT_DOUBLE_EQ(slowness.bad(), 1.59);
  for (int i = 0; i < 64; ++i) slowness.learn(2.0);
  EXPECT_NEAR(slowness.average(), 2.06, 0.01);
}

}  // namespace
}  // namespace wattune::dynamic
