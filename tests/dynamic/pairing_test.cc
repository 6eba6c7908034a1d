#include "dynamic/tuning/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic/fakes.h"
#include "dynamic/times.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using fakes::FakeEvent;
using fakes::FakeVariant;
using testing::SizeIs;

// An application that calls one key every 10 ms, by a clock of its own. Variants take the times that the test sets.
struct PairingTest : testing::Test {
  std::shared_ptr<FakeVariant> variant(int id, Nanoseconds time, std::size_t private_bytes = 0) {
    const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x"});
    const Configuration configuration(static_cast<ConfigurationId>(id), names, {Value(id)});
    const auto made = std::make_shared<FakeVariant>(configuration, nullptr, private_bytes);
    times[made.get()] = time;
    return made;
  }
  void add(const std::shared_ptr<FakeVariant>& of, std::optional<Nanoseconds> expected = {}) {
    pairing.add({of->configuration(), expected}, of);
  }
  Turn call(Mode mode = Mode::automatic) {
    now += ms(10);
    stall_budget.begin(now);
    for (Outcome& each : pairing.collect()) outcomes.push_back(std::move(each));
    const Turn turn = pairing.is_busy() ? pairing.next(mode, now) : Turn{.variant = pairing.best()};
    if (turn.timed) {
      pairing.sent(turn, timed(turn), sending);
      auto& launched = static_cast<FakeVariant&>(*turn.variant).launched;
      launched = true;
    }
    explored += turn.exploring;
    return turn;
  }
  Result<TimedCall> timed(const Turn& turn) {
    if (sending_fails && turn.exploring) return Error(ErrorCode::launch_failed, "no room");
    Result<Nanoseconds> time = times.at(turn.variant.get());
    if (launch_fails && turn.exploring) time = Error(ErrorCode::launch_failed, "it wrote out of bounds");
    std::vector<std::unique_ptr<backend::Event>> events;
    events.push_back(std::make_unique<FakeEvent>(time, ready));
    return TimedCall(std::move(events));
  }
  void calls(int count) {
    for (int i = 0; i < count; ++i) call();
  }
  // Makes the first variant of the key, and calls it until it is timed.
  std::shared_ptr<FakeVariant> begin(Nanoseconds time) {
    const auto first = variant(0, time);
    pairing.set_best(first);
    calls(6);
    outcomes.clear();
    return first;
  }

  Nanoseconds now;
  bool ready = true;
  bool sending_fails = false;
  bool launch_fails = false;
  Sending sending;
  int explored = 0;
  std::map<const Variant*, Nanoseconds> times;
  std::vector<Outcome> outcomes;
  fakes::FakeLoader loader;
  StallBudget stall_budget{{.share = 0.02, .longest = ms(5)}};
  Pairing pairing{stall_budget, loader, Measuring::paired};
};

// Comparing added 3 ms to the last call, so the same is expected of the next. The 2 % of 10 ms do not pay for that.
TEST_F(PairingTest, OfShadowedCallsComparingIsReservedAndCharged) {
  Pairing shadowed{stall_budget, loader, Measuring::paired, Safety::shadowed};
  const auto first = variant(0, us(100));
  const auto candidate = variant(1, us(90));
  stall_budget.begin(Nanoseconds());
  shadowed.set_best(first);
  for (int i = 0; i < 5; ++i) {
    const Turn turn = shadowed.next(Mode::automatic, ms(0));
    shadowed.sent(turn, timed(turn), {});
  }
  shadowed.collect();
  shadowed.add({candidate->configuration(), us(90)}, candidate);
  candidate->launched = true;
  EXPECT_FALSE(shadowed.next(Mode::automatic, ms(40)).exploring) << "1 ms is expected, 0.8 ms are there";
  const Turn turn = shadowed.next(Mode::automatic, ms(60));
  ASSERT_TRUE(turn.exploring);
  EXPECT_FALSE(stall_budget.affords(us(500), ms(60))) << "it is reserved";
  shadowed.sent(turn, timed(turn), {.waited = ms(3)});
  shadowed.collect();
  EXPECT_EQ(stall_budget.stalls().comparing, ms(3));
  EXPECT_EQ(stall_budget.longest(), ms(3));
  EXPECT_FALSE(shadowed.next(Mode::automatic, ms(290)).exploring) << "6 ms in all, 5.8 ms are there";
  EXPECT_TRUE(shadowed.next(Mode::automatic, ms(310)).exploring);
}

// A comparison of 7.2 ms exceeds the 5 ms of one call. It counts until 2 % of the time have gained as much, after 0.36
// s.
TEST_F(PairingTest, ASlowComparisonKeepsOthersOutForAWhileOnly) {
  Pairing shadowed{stall_budget, loader, Measuring::paired, Safety::shadowed};
  const auto candidate = variant(1, us(90));
  stall_budget.begin(Nanoseconds());
  shadowed.set_best(variant(0, us(100)));
  for (int i = 0; i < 5; ++i) {
    const Turn turn = shadowed.next(Mode::automatic, ms(0));
    shadowed.sent(turn, timed(turn), {});
  }
  shadowed.collect();
  shadowed.add({candidate->configuration(), us(90)}, candidate);
  candidate->launched = true;
  const Turn slow = shadowed.next(Mode::automatic, ms(60));
  ASSERT_TRUE(slow.exploring);
  shadowed.sent(slow, timed(slow), {.waited = ms(7.2)});
  shadowed.collect();
  EXPECT_FALSE(shadowed.next(Mode::automatic, ms(1000)).exploring);
  EXPECT_TRUE(shadowed.stalls_too_long());
  EXPECT_FALSE(shadowed.next(Mode::automatic, ms(1350)).exploring);
  shadowed.next(Mode::automatic, ms(1370));
  EXPECT_TRUE(shadowed.next(Mode::automatic, ms(1371)).exploring);
}

// Three times 3 ms, less 3 ms, exceeds the 5 ms of one call, and always will.
TEST_F(PairingTest, WhatMayStallForTooLongAtAnyTimeIsSaid) {
  begin(ms(3));
  add(variant(1, ms(2)));
  EXPECT_FALSE(pairing.stalls_too_long());
  calls(1000);
  EXPECT_EQ(explored, 0);
  ASSERT_TRUE(pairing.stalls_too_long());
  EXPECT_NEAR(to_ms(pairing.stalls_too_long()->longest), 6.0, 0.1);
}

// On an idle stream the driver has nothing that the launch would wait for.
TEST_F(PairingTest, AFirstLaunchWaitsForAnIdleStream) {
  begin(us(100));
  add(variant(1, us(90)));
  bool idle = false;
  const auto next = [&] { return pairing.next(Mode::automatic, now, [&] { return idle; }); };
  EXPECT_EQ(next().variant, pairing.best());
  idle = true;
  EXPECT_TRUE(next().exploring);
}

TEST_F(PairingTest, AFirstLaunchDoesNotWaitForEver) {
  begin(us(100));
  add(variant(1, us(90)));
  const auto next = [&] { return pairing.next(Mode::automatic, now, [] { return false; }); };
  EXPECT_FALSE(next().exploring);
  now += ms(99);
  EXPECT_FALSE(next().exploring);
  now += ms(1);
  EXPECT_TRUE(next().exploring);
}

TEST_F(PairingTest, TheFirstOfAKeyIsTimedAndTold) {
  const auto first = variant(7, us(100));
  pairing.set_best(first);
  EXPECT_TRUE(pairing.is_busy());
  calls(6);
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_EQ(outcomes[0].configuration, first->configuration());
  EXPECT_EQ(outcomes[0].observation.objective(), 100e3);
  EXPECT_EQ(outcomes[0].observation.samples.size(), 5);
  EXPECT_FALSE(pairing.is_busy());
  EXPECT_EQ(pairing.best_time(), us(100));
  EXPECT_EQ(stall_budget.stalls().total(), us(0));
}

TEST_F(PairingTest, ABetterCandidateBecomesTheBestKnown) {
  const auto first = begin(us(100));
  const auto better = variant(1, us(90));
  add(better);
  calls(25);  // a first launch, 8 rounds of two, and some until the stall_budget affords the first
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_TRUE(outcomes[0].better);
  EXPECT_EQ(outcomes[0].configuration, better->configuration());
  EXPECT_EQ(outcomes[0].observation.objective(), 90e3);
  EXPECT_EQ(outcomes[0].retired, first);
  EXPECT_EQ(pairing.best(), better);
  EXPECT_EQ(pairing.best_time(), us(90));
  EXPECT_EQ(explored, 9);
}

TEST_F(PairingTest, AWorseCandidateIsToldAndRetired) {
  const auto first = begin(us(100));
  const auto worse = variant(1, us(105));
  add(worse);
  calls(25);
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_FALSE(outcomes[0].better);
  EXPECT_EQ(outcomes[0].observation.objective(), 105e3);
  EXPECT_EQ(outcomes[0].retired, worse);
  EXPECT_EQ(pairing.best(), first);
}

TEST_F(PairingTest, StallsAreWhatCallsTookMoreThanTheBest) {
  begin(us(100));
  add(variant(1, us(500)));
  calls(50);
  EXPECT_EQ(explored, 1) << "clearly slower";
  EXPECT_EQ(stall_budget.stalls().exploring, us(400));
  EXPECT_EQ(stall_budget.longest(), us(400));
}

TEST_F(PairingTest, AnUnknownCandidateWaitsUntilTheBudgetAffordsThreeTimesTheBest) {
  begin(ms(1));
  add(variant(1, ms(1.1)));
  // A stall of (3 - 1) * 1 ms and the 0.02 ms of a first launch are 2 % of 101 ms. Calls are 10 ms apart and 5 are
  // over, so the eleventh comes 110 ms behind the first.
  calls(5);
  EXPECT_EQ(explored, 0);
  EXPECT_TRUE(pairing.waits_for_budget());
  call();
  EXPECT_EQ(explored, 1);
}

TEST_F(PairingTest, WhatIsExpectedOfAScreenedCandidateCounts) {
  begin(ms(1));
  add(variant(1, ms(0.9)), ms(0.9));
  EXPECT_TRUE(call().exploring) << "0.02 ms for its first launch, and at worst 0.8 ms";
}

TEST_F(PairingTest, NoUnknownCandidateMayStallACallBeyondTheLongest) {
  begin(ms(4));  // twice 4 ms more are beyond 5 ms
  add(variant(1, ms(4)));
  calls(10'000);
  EXPECT_EQ(explored, 0);
  call(Mode::explore);
  EXPECT_EQ(explored, 1) << "whatever the budget says";
}

// The first candidate of 12 ms costs 11 ms, and the next may take as long. That exceeds the 5 + 2 ms of a call of 1 ms.
// The budget gains that much in 550 ms, 55 calls, after which the next is tried.
TEST_F(PairingTest, OneBadSurpriseKeepsOthersOutUntilTheBudgetHasGainedAsMuch) {
  StallBudget usual({.share = 0.02});
  Pairing other(usual, loader, Measuring::paired);
  other.set_best(variant(0, ms(1)));
  int tried = 0;
  const auto calls_of_it = [&](int count) {
    for (int i = 0; i < count; ++i) {
      now += ms(10);
      usual.begin(now);
      other.collect();
      const Turn turn = other.is_busy() ? other.next(Mode::automatic, now) : Turn{.variant = other.best()};
      if (turn.timed) other.sent(turn, timed(turn), {});
      tried += turn.exploring;
    }
  };
  calls_of_it(1000);  // 200 ms may be spent
  other.add({variant(1, ms(12))->configuration(), {}}, variant(1, ms(12)));
  const auto second = variant(2, ms(2));
  calls_of_it(10);
  EXPECT_EQ(tried, 1);
  other.add({second->configuration(), {}}, second);
  calls_of_it(50);
  EXPECT_EQ(tried, 1) << "it may be as slow";
  calls_of_it(20);
  EXPECT_GT(tried, 1);
}

// A candidate may take long and costs what the budget allows; it does not delay the other one.
TEST_F(PairingTest, WhatMayStallForTooLongIsPutBehindOthers) {
  begin(ms(1));
  add(variant(1, ms(2)), ms(9));  // 8 ms more than the best, of 5
  add(variant(2, ms(0.9)), ms(0.9));
  calls(3);
  EXPECT_GE(explored, 1);
}

// Sending 4000 launches of 3 us takes 12 ms; a call of 1 ms may lose 5 ms.
TEST_F(PairingTest, WhatTheHostWouldSendForTooLongIsNotTried) {
  begin(ms(1));
  const auto many = variant(1, ms(0.5));
  many->its_launches = 4000;
  add(many);
  calls(3);
  EXPECT_EQ(explored, 0);
  ASSERT_THAT(outcomes, SizeIs(1));
  EXPECT_EQ(outcomes.front().observation.status, Status::timeout);
}

TEST_F(PairingTest, SendingManyLaunchesIsNoFirstLaunchThatOthersWouldRepeat) {
  begin(ms(1));
  const auto many = variant(1, ms(1));
  many->its_launches = 100;
  add(many);
  sending.took = ms(4);
  while (explored == 0) call();
  sending.took = us(0);
  call();
  EXPECT_EQ(stall_budget.stalls().loading, us(40)) << "a hundredth";
  EXPECT_EQ(stall_budget.stalls().exploring, ms(3)) << "what the call took longer than the best known";
}

TEST_F(PairingTest, ExploringKeepsTheShare) {
  begin(ms(1));
  for (int i = 1; i <= 100; ++i) add(variant(i, ms(1.0 + 0.05 * i)));
  for (int i = 0; i < 3000; ++i) {
    call();
    // The stall of one exploring call may exceed its prediction and thus the budget for a while, by 5 ms at most.
    ASSERT_LE(stall_budget.stalls().total(), 0.02 * stall_budget.running(now) + ms(5));
  }
  EXPECT_GT(outcomes.size(), 50);
}

TEST_F(PairingTest, CollectingNeverWaits) {
  begin(us(100));
  add(variant(1, us(90)));
  ready = false;
  calls(100);
  EXPECT_EQ(explored, 1) << "one turn is under way";
  EXPECT_TRUE(outcomes.empty());
  ready = true;
  calls(25);
  EXPECT_EQ(outcomes.size(), 1);
}

TEST_F(PairingTest, ACandidateThatFailsIsToldOfAndNotTriedAgain) {
  begin(us(100));
  const auto bad = variant(1, us(90));
  add(bad);
  launch_fails = true;
  calls(10);
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_EQ(outcomes[0].observation.status, Status::runtime);
  EXPECT_THAT(outcomes[0].observation.message, testing::HasSubstr("out of bounds"));
  EXPECT_EQ(outcomes[0].retired, bad);
  EXPECT_EQ(explored, 1);
}

TEST_F(PairingTest, ACandidateThatIsRefusedIsToldOf) {
  begin(us(100));
  add(variant(1, us(90)));
  sending_fails = true;
  calls(10);
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_EQ(outcomes[0].observation.status, Status::runtime);
  EXPECT_TRUE(stall_budget.reserve(0.02 * stall_budget.running(now), now)) << "what was reserved is free again";
}

TEST_F(PairingTest, ABestThatFailsIsToldOf) {
  const auto bad = variant(0, us(100));
  times[bad.get()] = us(100);
  pairing.set_best(bad);
  const Turn turn = pairing.next(Mode::automatic, now);
  pairing.sent(turn, Error(ErrorCode::launch_failed, "no"), {});
  outcomes = pairing.collect();
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_FALSE(outcomes[0].observation.ok());
  EXPECT_FALSE(outcomes[0].better);
}

// The function of a composition may fail once, whatever the configuration.
TEST_F(PairingTest, ACallOfTheBestThatFailsIsTimedAgain) {
  pairing.set_best(variant(0, us(100)));
  add(variant(1, us(90)));
  const Turn turn = pairing.next(Mode::automatic, now);
  ASSERT_TRUE(turn.timed);
  pairing.sent(turn, Error(ErrorCode::invalid_argument, "the function threw"), {});
  calls(100);
  ASSERT_THAT(outcomes, SizeIs(2));
  EXPECT_TRUE(outcomes[0].observation.ok());
  EXPECT_EQ(outcomes[0].observation.samples.size(), 5u);
  EXPECT_EQ(pairing.best()->configuration().to_string(), "x=1");
}

// The best known fails, and another replaces it, while the candidate's first launch is under way.
TEST_F(PairingTest, AFirstLaunchDuringWhichTheBestIsReplacedIsRepeated) {
  begin(us(100));
  add(variant(1, us(90)));
  while (explored == 0) call();
  pairing.set_best(variant(2, us(100)));
  calls(100);
  EXPECT_EQ(pairing.best()->configuration().to_string(), "x=1");
}

TEST_F(PairingTest, AFirstLaunchThatMakesTheDriverWaitIsReservedAndCharged) {
  begin(us(100));
  loader.growing = ms(6);  // more than a call may stall
  const auto spilling = variant(1, us(90), 1024);
  add(spilling);
  calls(100);
  EXPECT_EQ(explored, 0);
  loader.growing = ms(1);
  sending.took = ms(1.2);
  call();
  sending.took = us(0);
  EXPECT_EQ(explored, 1);
  EXPECT_EQ(stall_budget.stalls().loading, ms(1.2));
  EXPECT_EQ(loader.private_bytes, 1024);
}

TEST_F(PairingTest, DroppedCandidatesAreGivenBack) {
  begin(us(100));
  const auto first = variant(1, us(90));
  const auto second = variant(2, us(90));
  add(first);
  add(second);
  calls(2);
  EXPECT_THAT(pairing.drop_candidates(), testing::ElementsAre(first, second));
  EXPECT_FALSE(pairing.is_busy());
  calls(5);
  EXPECT_TRUE(outcomes.empty());
}

TEST_F(PairingTest, EachExploringCallRunsACandidateThatWasNotTried) {
  begin(us(100));
  const auto far = variant(1, us(500));
  const auto better = variant(2, us(80));
  const auto near = variant(3, us(85));
  for (const auto& each : {far, better, near}) add(each);
  for (const auto& each : {far, better, near}) EXPECT_EQ(call(Mode::explore).variant, each);
  pairing.collect();
  EXPECT_EQ(pairing.best(), better);
  EXPECT_EQ(stall_budget.stalls().exploring, us(405)) << "whatever the budget says; 85 us are 5 us more than 80";
}

TEST_F(PairingTest, OneTimeSaysWhatThereIsToSayOfAnExploringCall) {
  const auto first = begin(us(100));
  const auto slow = variant(1, us(120));
  const auto better = variant(2, us(80));
  add(slow);
  add(better);
  for (int i = 0; i < 3; ++i) call(Mode::explore);
  ASSERT_EQ(outcomes.size(), 2);
  EXPECT_FALSE(outcomes[0].better);
  EXPECT_EQ(outcomes[0].observation.samples.size(), 1);
  EXPECT_EQ(outcomes[0].retired, slow);
  EXPECT_TRUE(outcomes[1].better);
  EXPECT_EQ(outcomes[1].retired, first) << "100 us are more than 1.1 times 80 us";
}

TEST_F(PairingTest, WhatMayBeAsFastIsComparedLater) {
  const auto first = begin(us(100));
  const auto lucky = variant(1, us(99));
  add(lucky);
  call(Mode::explore);
  EXPECT_TRUE(pairing.is_busy());
  times[lucky.get()] = us(104);  // its first launch was faster
  calls(40);
  EXPECT_EQ(pairing.best(), first);
  ASSERT_EQ(outcomes.size(), 2);
  EXPECT_TRUE(outcomes[0].better);
  EXPECT_EQ(outcomes[1].configuration, first->configuration());
  EXPECT_TRUE(outcomes[1].better);
  EXPECT_EQ(outcomes[1].retired, lucky);
}

TEST_F(PairingTest, OfManyThatMayBeAsFastTheFastestStay) {
  begin(us(100));
  for (int i = 0; i < 20; ++i) add(variant(i + 1, us(109 - 0.1 * i)));
  for (int i = 0; i < 22; ++i) call(Mode::explore);
  EXPECT_EQ(std::ranges::count_if(outcomes, [](const Outcome& each) { return each.retired != nullptr; }), 12);
}

// Other candidates have turns, since an application may send many calls before the first has ended.
TEST_F(PairingTest, WhileTimesHaveNotComeBackOthersHaveTheirTurns) {
  const auto first = begin(us(100));
  const auto one = variant(1, us(95));
  const auto other = variant(2, us(96));
  add(one);
  add(other);
  ready = false;
  EXPECT_EQ(call().variant, one);
  EXPECT_EQ(call().variant, other);
  EXPECT_FALSE(call().timed) << "one round of each is under way";
  ready = true;
  const Turn half = call();
  const Turn whole = call();
  EXPECT_EQ(half.contest, whole.contest) << "halves of a round are calls in turn";
  EXPECT_NE(half.exploring, whole.exploring);
  calls(60);
  EXPECT_EQ(pairing.best(), one);
  EXPECT_FALSE(pairing.is_busy());
}

// A caller that runs both halves in one call must not get another candidate as the best known.
TEST_F(PairingTest, TheOtherHalfOfARoundIsOfTheSameContest) {
  const auto first = begin(us(100));
  add(variant(1, us(101)));
  add(variant(2, us(102)));
  const Turn launch = call();
  EXPECT_TRUE(launch.exploring);
  const Turn none = pairing.other_half(launch, Mode::automatic, now);
  EXPECT_EQ(none.variant, first);
  EXPECT_FALSE(none.timed);
  Turn half = call();
  while (half.first) half = call();
  const Turn other = pairing.other_half(half, Mode::automatic, now);
  EXPECT_TRUE(other.timed);
  EXPECT_EQ(other.contest, half.contest);
  EXPECT_NE(other.exploring, half.exploring);
  EXPECT_FALSE(pairing.other_half({.variant = first}, Mode::automatic, now).timed);
}

TEST_F(PairingTest, ADuelBeginsAnewWithAnotherBest) {
  begin(us(100));
  const auto good = variant(1, us(95));
  add(good);
  while (explored < 5) call();  // its first launch and four rounds or so
  const auto better = variant(2, us(90));
  add(better);
  call(Mode::explore);
  calls(60);
  EXPECT_EQ(pairing.best(), better) << "whom four rounds against another did not make worse";
  EXPECT_FALSE(pairing.is_busy());
}

TEST_F(PairingTest, InExploringCallsOneTimeOfTheFirstIsEnough) {
  pairing.set_best(variant(0, us(100)));
  add(variant(1, us(90)));
  EXPECT_FALSE(call(Mode::explore).exploring);
  EXPECT_TRUE(call(Mode::explore).exploring);
  ASSERT_EQ(outcomes.size(), 1);
  EXPECT_EQ(outcomes[0].observation.samples.size(), 1);
}

TEST(ExclusivePairing, WaitsAreReservedAndCharged) {
  StallBudget stall_budget({.share = 0.02, .longest = ms(5)});
  stall_budget.begin(ms(0));
  fakes::FakeLoader loader;
  Pairing pairing(stall_budget, loader, Measuring::exclusive);
  const auto first = std::make_shared<FakeVariant>();
  pairing.set_best(first);
  const bool ready = true;
  for (int i = 0; i < 5; ++i) {
    const Turn turn = pairing.next(Mode::automatic, ms(1000));
    EXPECT_TRUE(turn.exclusive);
    std::vector<std::unique_ptr<backend::Event>> events;
    events.push_back(std::make_unique<FakeEvent>(us(100), ready));
    pairing.sent(turn, TimedCall(std::move(events)), {.waited = ms(3)});
  }
  pairing.collect();
  EXPECT_EQ(stall_budget.stalls().waiting, ms(15));
  // Waiting 2 * 3 ms exceeds the known limit of a call's stall.
  pairing.add({}, std::make_shared<FakeVariant>());
  EXPECT_FALSE(pairing.next(Mode::automatic, ms(100'000)).exploring);
}

}  // namespace
}  // namespace wattune::dynamic
