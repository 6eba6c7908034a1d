#include "wattune/measure/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/synthetic_device.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Contestants that compare runners by time.
struct Timed {
  template <typename Runners>
  explicit Timed(Runners& runners) {
    contestants.reserve(std::size(runners));
    for (auto& runner : runners) pointers.push_back(&contestants.emplace_back(runner));
  }
  std::vector<TimedContestant> contestants;
  std::vector<Contestant*> pointers;
};

Verdict decide(SyntheticDevice& device, const std::vector<double>& times_in_ms, const ShootOutOptions& options = {}) {
  std::vector<SyntheticRunner> runners;
  runners.reserve(times_in_ms.size());
  for (const double time : times_in_ms) runners.emplace_back(device, nanoseconds_from_ms(time));
  Timed contestants(runners);
  std::size_t failed = 0;
  return judge(run_shoot_out(contestants.pointers, options, failed).value(), {}, options.max_blocks);
}

int wins_of_the_better(const Noise& noise, const Speed& speed) {
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SyntheticDevice device(seed, noise, speed);
    wins += decide(device, {1.01, 1.0}).winner == 1 ? 1 : 0;
  }
  return wins;
}

// At 1 % noise the ratio of a pair deviates by 1.41 %, and the median of 36 by 1.41 % * sqrt(pi / 2) / 6 = 0.29 %. So
// the better of two that are 1 % apart loses at 3.4 standard deviations, one time in 3000. At most 2 of 200 may lose.
TEST(ShootOut, FindsTheBetterOfTwoWithinOnePercent) {
  EXPECT_GE(wins_of_the_better(gaussian(0.01), full_speed), 198);
  EXPECT_GE(wins_of_the_better(with_outliers(0.01), full_speed), 198);
}

// The clock falls by a fifth over the shoot-out, or in its middle.
TEST(ShootOut, DriftDoesNotDecide) {
  const auto drift = [](Nanoseconds busy) { return 1.0 - 0.2 * std::min(1.0, to_ms(busy) / 90.0); };
  EXPECT_GE(wins_of_the_better(gaussian(0.01), drift), 198);
  EXPECT_GE(wins_of_the_better(gaussian(0.01), throttled), 198);
}

// Equal contestants are told apart wrongly in at most 5 % of all shoot-outs. With 200 these are ten; three standard
// deviations (3.1 each) are added.
TEST(ShootOut, EqualOnesAreTied) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SyntheticDevice device(seed, gaussian(0.02));
    wrong += decide(device, {1.0, 1.0, 1.0, 1.0}).ties.size() < 3 ? 1 : 0;
  }
  EXPECT_LE(wrong, 19);
}

TEST(ShootOut, EndsWhenTheWinnerIsClear) {
  SyntheticDevice device(1, gaussian(0.001));
  SyntheticRunner runners[] = {{device, nanoseconds_from_ms(2)}, {device, nanoseconds_from_ms(1)}};
  device.busy = nanoseconds_from_ms(20);
  Timed contestants(runners);
  std::size_t failed = 0;
  const Rounds rounds = run_shoot_out(contestants.pointers, {}, failed).value();
  EXPECT_EQ(runners[0].runs, 24u);  // each of 12 samples with a run before it
  EXPECT_EQ(runners[1].runs, 24u);
  EXPECT_EQ(judge(rounds).winner, 1u);
  EXPECT_THAT(judge(rounds).ties, IsEmpty());
}

// A runner that records its name; it fails if told to.
class NamedRunner : public Runner {
 public:
  NamedRunner(std::string& log, char name, bool broken = false, double time = 1000)
      : log_(log), name_(name), broken_(broken), time_(time) {}
  Result<std::vector<Sample>> run(std::size_t n) override {
    if (broken_) return Error(ErrorCode::device_lost, "gone");
    log_ += std::string(n, name_);
    return std::vector<Sample>(n, {Nanoseconds(time_)});
  }
  Nanoseconds busy_time() const override { return nanoseconds_from_seconds(1); }

 private:
  std::string& log_;
  char name_;
  bool broken_;
  double time_;
};

// The contestant sets `cancel` in its third turn.
TEST(ShootOut, EndsAfterTheTurnInFlightWhenCancelled) {
  class Canceller : public Contestant {
   public:
    Result<Turn> take_turn(Nanoseconds) override {
      cancel = ++turns == 3;
      return Turn{{Nanoseconds(1000)}, 1000.0, Nanoseconds(1000)};
    }
    std::atomic<bool> cancel = false;
    int turns = 0;
  };
  Canceller both;
  Contestant* const contestants[] = {&both, &both};
  std::size_t failed = 0;
  const Result<Rounds> rounds = run_shoot_out(contestants, {.cancel = &both.cancel}, failed);
  ASSERT_TRUE(rounds);
  EXPECT_THAT(*rounds, IsEmpty());
  EXPECT_EQ(both.turns, 3);
}

// Returns the rounds, and the turns taken, of a shoot-out that is over after `turns` turns. Two contestants take two
// turns per round.
std::pair<Rounds, int> rounds_within(int turns) {
  std::string log;
  NamedRunner a(log, 'a');
  NamedRunner b(log, 'b');
  TimedContestant one(a);
  TimedContestant other(b);
  Contestant* const contestants[] = {&one, &other};
  ShootOutOptions options{.block = 4};
  int taken = 0;
  options.over = [&] { return taken++ == turns; };
  std::size_t failed = 0;
  Rounds rounds = run_shoot_out(contestants, options, failed).value();
  return {std::move(rounds), static_cast<int>(log.size()) / 2};
}

// With five looks, each comparison of two contestants needs 99 %, and therefore eight rounds.
TEST(ShootOut, KeepsTheCompleteRoundsWhenItsTimeIsOver) {
  const auto [rounds, turns] = rounds_within(2 * 10 + 1);
  EXPECT_EQ(turns, 2 * 10 + 1);
  ASSERT_EQ(rounds.size(), 2u);
  EXPECT_EQ(rounds[0].size(), 10u);
  EXPECT_EQ(rounds[1].size(), 10u);
  EXPECT_EQ(rounds_within(2 * 8).first.front().size(), 8u);
  EXPECT_THAT(rounds_within(2 * 8 - 1).first, IsEmpty());
}

// The fewest rounds that a shoot-out keeps show which of two contestants is worse.
TEST(ShootOut, TheRoundsThatItKeepsCanDecide) {
  Rounds rounds(2);
  for (int round = 0; round < 8; ++round) {
    rounds[0].push_back({.sample = {}, .objective = 2.0, .spent = {}});
    rounds[1].push_back({.sample = {}, .objective = 1.0, .spent = {}});
  }
  EXPECT_EQ(judge(rounds, std::size_t{0}, 5).winner, 1u);
  for (std::vector<Turn>& turns : rounds) turns.pop_back();
  EXPECT_EQ(judge(rounds, std::size_t{0}, 5).winner, 0u);
}

TEST(ShootOut, TheOrderRotates) {
  std::string log;
  NamedRunner runners[] = {{log, 'a'}, {log, 'b'}, {log, 'c'}};
  Timed contestants(runners);
  std::size_t failed = 0;
  ASSERT_TRUE(run_shoot_out(contestants.pointers, {.block = 4, .max_blocks = 1}, failed));
  EXPECT_EQ(log, "aabbccbbccaaccaabbaabbcc");
}

// c takes twice the time, which twelve rounds show beyond doubt. So it has no turns in the second block.
TEST(ShootOut, WhoIsWorseDropsOut) {
  std::string log;
  NamedRunner runners[] = {{log, 'a'}, {log, 'b'}, {log, 'c', false, 2000}};
  Timed contestants(runners);
  std::size_t failed = 0;
  const Rounds rounds = run_shoot_out(contestants.pointers, {.max_blocks = 2}, failed).value();
  EXPECT_EQ(rounds[0].size(), 24u);
  EXPECT_EQ(rounds[1].size(), 24u);
  EXPECT_EQ(rounds[2].size(), 12u);
  EXPECT_EQ(log.substr(72), "aabbbbaaaabbbbaaaabbbbaaaabbbbaaaabbbbaaaabbbbaa");
  EXPECT_THAT(judge(rounds).ties, ElementsAre(1));
}

TEST(ShootOut, SaysWhoFailed) {
  std::string log;
  NamedRunner runners[] = {{log, 'a'}, {log, 'b', true}, {log, 'c'}};
  Timed contestants(runners);
  std::size_t failed = 9;
  EXPECT_FALSE(run_shoot_out(contestants.pointers, {}, failed));
  EXPECT_EQ(failed, 1u);
}

// Makes turns with these objectives.
std::vector<Turn> turns(const std::vector<double>& objectives) {
  std::vector<Turn> all;
  for (const double objective : objectives) all.push_back({.sample = {}, .objective = objective, .spent = {}});
  return all;
}

// Objectives to be maximised are negative. A rate of 11 beats one of 10 in each of 12 rounds.
TEST(ShootOut, JudgesWhatIsMaximisedAlike) {
  std::vector<double> ten;
  std::vector<double> eleven;
  for (int round = 0; round < 12; ++round) {
    ten.push_back(-10.0 - round);  // both drift
    eleven.push_back(-11.0 - round);
  }
  const Rounds rounds = {turns(ten), turns(eleven)};
  EXPECT_EQ(judge(rounds, {}, 5).winner, 1u);
  EXPECT_THAT(judge(rounds, {}, 5).ties, IsEmpty());
}

// Makes twelve turns: 101 in the first `slow_rounds`, 99 in the others.
std::vector<Turn> around_100(int slow_rounds) {
  std::vector<double> times;
  for (int round = 0; round < 12; ++round) times.push_back(round < slow_rounds ? 101.0 : 99.0);
  return turns(times);
}
const std::vector<Turn> kHundred = turns(std::vector<double>(12, 100.0));

// Being better in 10 of 12 rounds is chance in (1 + 12 + 66) / 4096 = 1.9 % of all cases; in 12 of 12 it is 0.02 %.
// Five looks leave 0.5 % to each.
TEST(ShootOut, TheStandardWinsUnlessAnotherIsBetter) {
  EXPECT_EQ(judge(Rounds{around_100(2), kHundred}, {}, 5).winner, 0u);
  const Verdict tie = judge(Rounds{around_100(2), kHundred}, 1, 5);
  EXPECT_EQ(tie.winner, 1u);
  EXPECT_THAT(tie.ties, ElementsAre(0));
  const Verdict beaten = judge(Rounds{around_100(0), kHundred}, 1, 5);
  EXPECT_EQ(beaten.winner, 0u);
  EXPECT_THAT(beaten.ties, IsEmpty());
  const Verdict best = judge(Rounds{around_100(12), kHundred}, 1, 5);
  EXPECT_EQ(best.winner, 1u);
  EXPECT_THAT(best.ties, IsEmpty());
}

// The first has the lowest median, 50, but is slower than the standard in two rounds. The second never is.
TEST(ShootOut, TheWinnerIsAmongThoseThatAreBetterThanTheStandard) {
  std::vector<double> uneven(12, 50.0);
  uneven[3] = uneven[7] = 150.0;
  const Verdict verdict = judge(Rounds{turns(uneven), around_100(0), kHundred}, 2, 5);
  EXPECT_EQ(verdict.winner, 1u);
  EXPECT_THAT(verdict.ties, ElementsAre(0));
}

TEST(ShootOut, AStandardThatDroppedOutWasBeaten) {
  const std::vector<Turn> few(kHundred.begin(), kHundred.begin() + 4);
  EXPECT_EQ(judge(Rounds{around_100(6), few}, 1, 5).winner, 0u);
}

// The ratios are 2, 2.1, ..., 3.1. The median of the twelve is 2.55, and its 95 % interval is the third to the tenth.
TEST(PairedGain, IsTheMedianOfTheRatiosRoundByRound) {
  std::vector<double> tuned;
  std::vector<double> plain;
  for (int round = 0; round < 12; ++round) {
    tuned.push_back(10.0 * (round + 1));
    plain.push_back(tuned.back() * (2.0 + 0.1 * round));
  }
  plain.push_back(1.0);  // of a round that only one of them ran
  const PairedGain gain = paired_gain(turns(tuned), turns(plain)).value();
  EXPECT_DOUBLE_EQ(gain.median, 2.55);
  EXPECT_DOUBLE_EQ(gain.low, 2.2);
  EXPECT_DOUBLE_EQ(gain.high, 2.9);
}

TEST(PairedGain, OfARateIsHowManyTimesItGrew) {
  EXPECT_DOUBLE_EQ(paired_gain(turns({-30.0}), turns({-10.0}))->median, 3.0);
  EXPECT_FALSE(paired_gain(turns({-30.0}), turns({10.0})));
  EXPECT_FALSE(paired_gain({}, turns({10.0})));
}

TEST(ShootOut, FinalistsAreThoseWhoseIntervalReachesTheBest) {
  const std::vector<ObjectiveInterval> all = {{12, 11, 13}, {9, 8, 10}, {11, 10, 12}, {13, 9, 20}};
  EXPECT_THAT(choose_finalists(all, 8), ElementsAre(1, 2, 3));
  EXPECT_THAT(choose_finalists(all, 2), ElementsAre(1, 2));
  EXPECT_THAT(choose_finalists({}, 8), IsEmpty());
}

}  // namespace
}  // namespace wattune::measure
