#include "dynamic/tuning/trial_gain.h"

#include <gtest/gtest.h>

#include <memory>

namespace wattune::inline v0_1::dynamic {
namespace {

Observation of_time(double ms, Status status = Status::correct) {
  const Nanoseconds time = nanoseconds_from_ms(ms);
  return {.status = status, .statistics = Statistics{.median = time, .interval_low = time, .interval_high = time}};
}

constexpr Nanoseconds kStep = nanoseconds_from_ms(1);

TEST(TrialGain, IsNotAskedWhereNobodyTellsOfCalls) {
  TrialGain trial_gain;
  for (int i = 0; i < 1000; ++i) trial_gain.learn(of_time(1.0));
  EXPECT_GT(trial_gain.of_one_more(), nanoseconds_from_seconds(1));
}

TEST(TrialGain, EndsWhenNothingBetterComesAndReturnsWithFurtherCalls) {
  TrialGain trial_gain;
  trial_gain.note_calls(nanoseconds_from_seconds(1));
  trial_gain.learn(of_time(1.0));
  EXPECT_GT(trial_gain.of_one_more(), kStep);
  for (int i = 0; i < 100; ++i) trial_gain.learn(of_time(1.1));
  EXPECT_LT(trial_gain.of_one_more(), kStep);
  trial_gain.note_calls(nanoseconds_from_seconds(60));
  EXPECT_GT(trial_gain.of_one_more(), kStep);
}

TEST(TrialGain, ABetterOneIsAReasonToGoOn) {
  TrialGain trial_gain;
  trial_gain.note_calls(nanoseconds_from_seconds(1));
  trial_gain.learn(of_time(1.0));
  for (int i = 0; i < 20; ++i) trial_gain.learn(of_time(1.1));
  EXPECT_LT(trial_gain.of_one_more(), kStep);
  trial_gain.learn(of_time(0.1, Status::correctness));
  EXPECT_LT(trial_gain.of_one_more(), kStep) << "what fails is not better";
  trial_gain.learn(of_time(0.995));
  EXPECT_LT(trial_gain.of_one_more(), kStep) << "what calls cannot tell is not better";
  trial_gain.learn(of_time(0.5));
  EXPECT_GT(trial_gain.of_one_more(), kStep);
}

Observation with_wide_interval(double ms) {
  Observation observation = of_time(ms);
  observation.statistics->interval_low = nanoseconds_from_ms(0.5 * ms);
  observation.statistics->interval_high = nanoseconds_from_ms(2.0 * ms);
  return observation;
}

TEST(TrialGain, BetterByMuchCountsThoughItIsNotCertain) {
  for (const auto& [ms, counts] : {std::pair(0.95, true), std::pair(0.98, false)}) {
    TrialGain trial_gain;
    trial_gain.note_calls(nanoseconds_from_seconds(1));
    trial_gain.learn(with_wide_interval(1.0));
    trial_gain.learn(with_wide_interval(1.1));
    const Nanoseconds before = trial_gain.of_one_more();
    trial_gain.learn(with_wide_interval(ms));
    EXPECT_EQ(*trial_gain.best() == nanoseconds_from_ms(ms), counts) << ms;
    EXPECT_EQ(trial_gain.of_one_more() > 0.55 * before, counts) << ms;
  }
}

Nanoseconds of_a_new_key(const std::shared_ptr<SharedGains>& gains) {
  TrialGain trial_gain(gains);
  trial_gain.note_calls(nanoseconds_from_seconds(1));
  trial_gain.learn(of_time(1.0));
  return trial_gain.of_one_more();
}

TEST(TrialGain, LittleIsToBeHadWhereOtherKeysGainedLittle) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds nothing_known = of_a_new_key(gains);
  for (int key = 0; key < 9; ++key) {
    TrialGain held(gains);
    held.learn(of_time(1.0));
    for (int i = 0; i < 5; ++i) held.learn(of_time(1.1));
  }
  EXPECT_LT(of_a_new_key(gains), 0.1 * nothing_known);
  for (int key = 0; key < 9; ++key) {
    TrialGain beaten(gains);
    beaten.learn(of_time(1.0));
    beaten.learn(of_time(0.5));
  }
  EXPECT_GT(of_a_new_key(gains), nothing_known);
}

TEST(TrialGain, OwnTrialsCountOnce) {
  TrialGain alone(std::make_shared<SharedGains>());
  const auto gains = std::make_shared<SharedGains>();
  TrialGain beside(gains);
  gains->add(
      {.gained = 0.2, .expected = 1.0, .expected_of_room = 1.0});  // as much as nothing known amounts to, twice over
  for (TrialGain* trial_gain : {&alone, &beside}) {
    trial_gain->note_calls(nanoseconds_from_seconds(1));
    trial_gain->learn(of_time(1.0));
  }
  const double before = beside.of_one_more() / alone.of_one_more();
  EXPECT_NEAR(before, 1.5, 1e-9);
  for (int i = 0; i < 4; ++i)
    for (TrialGain* trial_gain : {&alone, &beside}) trial_gain->learn(of_time(1.1));
  EXPECT_NEAR(beside.of_one_more() / alone.of_one_more(), before, 1e-9);
}

TEST(TrialGain, PaysForANewKeyAsForOthersBeforeItsFirst) {
  const auto gains = std::make_shared<SharedGains>();
  TrialGain trial_gain(gains);
  trial_gain.note_calls(nanoseconds_from_seconds(1));
  EXPECT_GT(trial_gain.of_one_more(), nanoseconds_from_seconds(1)) << "of nothing anything is known";
  TrialGain held(gains);
  for (int i = 0; i < 100; ++i) held.learn(of_time(1.0));
  EXPECT_EQ(trial_gain.of_one_more(), of_a_new_key(gains));
  EXPECT_LT(trial_gain.of_one_more(), nanoseconds_from_seconds(0.1));
}

// Returns the worth of one more step for a key of 1 ms, whose calls take a second.
Nanoseconds above(Nanoseconds least, const std::shared_ptr<SharedGains>& gains) {
  TrialGain trial_gain(gains, least);
  trial_gain.note_calls(nanoseconds_from_seconds(1));
  trial_gain.learn(of_time(1.0));
  return trial_gain.of_one_more();
}

TEST(TrialGain, LessIsToBeHadNearTheLeastTime) {
  const auto nothing_known = std::make_shared<SharedGains>();
  EXPECT_NEAR(above(nanoseconds_from_ms(0.6), nothing_known) / above(nanoseconds_from_ms(0.9), nothing_known), 4.0,
              1e-9);
  EXPECT_EQ(above(nanoseconds_from_ms(1.0), nothing_known), Nanoseconds());
  EXPECT_EQ(above(nanoseconds_from_ms(1.2), nothing_known), Nanoseconds()) << "the application may be wrong";
}

// Keys near their least time gain nothing. This tells nothing about keys that are far from it.
TEST(TrialGain, OfOthersItLearnsWhatTheyGainedOfWhatWasLeft) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds far = nanoseconds_from_ms(0.5);
  const Nanoseconds before = above(far, gains);
  for (int key = 0; key < 20; ++key) {
    TrialGain near(gains, nanoseconds_from_ms(0.99));
    near.learn(of_time(1.0));
    for (int i = 0; i < 5; ++i) near.learn(of_time(1.1));
  }
  EXPECT_GT(above(far, gains), 0.7 * before);
  EXPECT_LT(above({}, gains), 0.1 * before) << "where nobody knows what is left, as little as theirs";
}

TEST(TrialGain, OnSmallerDataCallsSayWhatIsLeft) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds least = nanoseconds_from_ms(8);
  TrialGain first(gains, least);
  first.learn_on_smaller_data();
  first.note_calls(nanoseconds_from_seconds(1));
  first.learn(of_time(1.0));
  EXPECT_GT(first.of_one_more(), kStep) << "nothing is known of what is left";
  first.note_scale(8.0);
  EXPECT_EQ(first.of_one_more(), Nanoseconds());
  TrialGain another(gains, least);
  another.learn_on_smaller_data();
  another.note_calls(nanoseconds_from_seconds(1));
  another.learn(of_time(1.0));
  EXPECT_EQ(another.of_one_more(), Nanoseconds()) << "as it was of the first";
  another.note_scale(16.0);
  EXPECT_GT(another.of_one_more(), kStep);
}

}  // namespace
}  // namespace wattune::dynamic
