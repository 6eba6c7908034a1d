#include "dynamic/worth.h"

#include <gtest/gtest.h>

#include <memory>

namespace wattune::dynamic {
namespace {

Observation of_time(double ms, Status status = Status::correct) {
  const Nanoseconds time = nanoseconds_from_ms(ms);
  return {.status = status, .statistics = Statistics{.median = time, .interval_low = time, .interval_high = time}};
}

constexpr Nanoseconds kStep = nanoseconds_from_ms(1);

TEST(Worth, IsNotAskedWhereNobodyTellsOfCalls) {
  Worth worth;
  for (int i = 0; i < 1000; ++i) worth.learn(of_time(1.0));
  EXPECT_GT(worth.of_one_more(), nanoseconds_from_seconds(1));
}

TEST(Worth, EndsWhenNothingBetterComesAndReturnsWithFurtherCalls) {
  Worth worth;
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  EXPECT_GT(worth.of_one_more(), kStep);
  for (int i = 0; i < 100; ++i) worth.learn(of_time(1.1));
  EXPECT_LT(worth.of_one_more(), kStep);
  worth.note_calls(nanoseconds_from_seconds(60));
  EXPECT_GT(worth.of_one_more(), kStep);
}

TEST(Worth, ABetterOneIsAReasonToGoOn) {
  Worth worth;
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  for (int i = 0; i < 20; ++i) worth.learn(of_time(1.1));
  EXPECT_LT(worth.of_one_more(), kStep);
  worth.learn(of_time(0.1, Status::correctness));
  EXPECT_LT(worth.of_one_more(), kStep) << "what fails is not better";
  worth.learn(of_time(0.995));
  EXPECT_LT(worth.of_one_more(), kStep) << "what calls cannot tell is not better";
  worth.learn(of_time(0.5));
  EXPECT_GT(worth.of_one_more(), kStep);
}

Observation with_wide_interval(double ms) {
  Observation observation = of_time(ms);
  observation.statistics->interval_low = nanoseconds_from_ms(0.5 * ms);
  observation.statistics->interval_high = nanoseconds_from_ms(2.0 * ms);
  return observation;
}

TEST(Worth, BetterByMuchCountsThoughItIsNotCertain) {
  for (const auto& [ms, counts] : {std::pair(0.95, true), std::pair(0.98, false)}) {
    Worth worth;
    worth.note_calls(nanoseconds_from_seconds(1));
    worth.learn(with_wide_interval(1.0));
    worth.learn(with_wide_interval(1.1));
    const Nanoseconds before = worth.of_one_more();
    worth.learn(with_wide_interval(ms));
    EXPECT_EQ(*worth.best() == nanoseconds_from_ms(ms), counts) << ms;
    EXPECT_EQ(worth.of_one_more() > 0.55 * before, counts) << ms;
  }
}

Nanoseconds of_a_new_key(const std::shared_ptr<SharedGains>& gains) {
  Worth worth(gains);
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  return worth.of_one_more();
}

TEST(Worth, LittleIsToBeHadWhereOtherKeysGainedLittle) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds nothing_known = of_a_new_key(gains);
  for (int key = 0; key < 9; ++key) {
    Worth held(gains);
    held.learn(of_time(1.0));
    for (int i = 0; i < 5; ++i) held.learn(of_time(1.1));
  }
  EXPECT_LT(of_a_new_key(gains), 0.1 * nothing_known);
  for (int key = 0; key < 9; ++key) {
    Worth beaten(gains);
    beaten.learn(of_time(1.0));
    beaten.learn(of_time(0.5));
  }
  EXPECT_GT(of_a_new_key(gains), nothing_known);
}

TEST(Worth, OwnTrialsCountOnce) {
  Worth alone(std::make_shared<SharedGains>());
  const auto gains = std::make_shared<SharedGains>();
  Worth beside(gains);
  gains->add(
      {.gained = 0.2, .expected = 1.0, .expected_of_room = 1.0});  // as much as nothing known amounts to, twice over
  for (Worth* worth : {&alone, &beside}) {
    worth->note_calls(nanoseconds_from_seconds(1));
    worth->learn(of_time(1.0));
  }
  const double before = beside.of_one_more() / alone.of_one_more();
  EXPECT_NEAR(before, 1.5, 1e-9);
  for (int i = 0; i < 4; ++i)
    for (Worth* worth : {&alone, &beside}) worth->learn(of_time(1.1));
  EXPECT_NEAR(beside.of_one_more() / alone.of_one_more(), before, 1e-9);
}

TEST(Worth, PaysForANewKeyAsForOthersBeforeItsFirst) {
  const auto gains = std::make_shared<SharedGains>();
  Worth worth(gains);
  worth.note_calls(nanoseconds_from_seconds(1));
  EXPECT_GT(worth.of_one_more(), nanoseconds_from_seconds(1)) << "of nothing anything is known";
  Worth held(gains);
  for (int i = 0; i < 100; ++i) held.learn(of_time(1.0));
  EXPECT_EQ(worth.of_one_more(), of_a_new_key(gains));
  EXPECT_LT(worth.of_one_more(), nanoseconds_from_seconds(0.1));
}

// Returns the worth of one more step for a key of 1 ms, whose calls take a second.
Nanoseconds above(Nanoseconds least, const std::shared_ptr<SharedGains>& gains) {
  Worth worth(gains, least);
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  return worth.of_one_more();
}

TEST(Worth, LessIsToBeHadNearTheLeastTime) {
  const auto nothing_known = std::make_shared<SharedGains>();
  EXPECT_NEAR(above(nanoseconds_from_ms(0.6), nothing_known) / above(nanoseconds_from_ms(0.9), nothing_known), 4.0,
              1e-9);
  EXPECT_EQ(above(nanoseconds_from_ms(1.0), nothing_known), Nanoseconds());
  EXPECT_EQ(above(nanoseconds_from_ms(1.2), nothing_known), Nanoseconds()) << "the application may be wrong";
}

// Keys near their least time gain nothing. This tells nothing about keys that are far from it.
TEST(Worth, OfOthersItLearnsWhatTheyGainedOfWhatWasLeft) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds far = nanoseconds_from_ms(0.5);
  const Nanoseconds before = above(far, gains);
  for (int key = 0; key < 20; ++key) {
    Worth near(gains, nanoseconds_from_ms(0.99));
    near.learn(of_time(1.0));
    for (int i = 0; i < 5; ++i) near.learn(of_time(1.1));
  }
  EXPECT_GT(above(far, gains), 0.7 * before);
  EXPECT_LT(above({}, gains), 0.1 * before) << "where nobody knows what is left, as little as theirs";
}

TEST(Worth, OnSmallerDataCallsSayWhatIsLeft) {
  const auto gains = std::make_shared<SharedGains>();
  const Nanoseconds least = nanoseconds_from_ms(8);
  Worth first(gains, least);
  first.learn_on_smaller_data();
  first.note_calls(nanoseconds_from_seconds(1));
  first.learn(of_time(1.0));
  EXPECT_GT(first.of_one_more(), kStep) << "nothing is known of what is left";
  first.note_scale(8.0);
  EXPECT_EQ(first.of_one_more(), Nanoseconds());
  Worth another(gains, least);
  another.learn_on_smaller_data();
  another.note_calls(nanoseconds_from_seconds(1));
  another.learn(of_time(1.0));
  EXPECT_EQ(another.of_one_more(), Nanoseconds()) << "as it was of the first";
  another.note_scale(16.0);
  EXPECT_GT(another.of_one_more(), kStep);
}

}  // namespace
}  // namespace wattune::dynamic
