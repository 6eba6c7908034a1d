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
  worth.note_calls(nanoseconds_from_seconds(10));
  EXPECT_GT(worth.of_one_more(), kStep);
}

TEST(Worth, ABetterOneIsAReasonToGoOn) {
  Worth worth;
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  for (int i = 0; i < 100; ++i) worth.learn(of_time(1.1));
  worth.learn(of_time(0.1, Status::correctness));
  EXPECT_LT(worth.of_one_more(), kStep) << "what fails is not better";
  worth.learn(of_time(0.5));
  EXPECT_GT(worth.of_one_more(), kStep);
}

TEST(Worth, WhatAKeyBeginsWithIsHarderToBeatWhereItHeldInOtherKeys) {
  const auto beginnings = std::make_shared<Beginnings>();
  const auto of_a_new_key = [&] {
    Worth worth(beginnings);
    worth.note_calls(nanoseconds_from_seconds(1));
    worth.learn(of_time(1.0));
    return worth.of_one_more();
  };
  const Nanoseconds nothing_known = of_a_new_key();
  Worth held(beginnings);
  held.learn(of_time(1.0));
  for (int i = 0; i < 19; ++i) held.learn(of_time(1.1));
  EXPECT_LT(of_a_new_key(), 0.1 * nothing_known);
  for (int key = 0; key < 9; ++key) {
    Worth beaten(beginnings);
    beaten.learn(of_time(1.0));
    beaten.learn(of_time(0.8));
    for (int i = 0; i < 19; ++i) beaten.learn(of_time(1.1));  // it says nothing of what others begin with
  }
  EXPECT_GT(of_a_new_key(), 0.5 * nothing_known);
}

TEST(Worth, OwnTrialsCountOnce) {
  Worth worth;
  worth.note_calls(nanoseconds_from_seconds(1));
  worth.learn(of_time(1.0));
  const Nanoseconds before = worth.of_one_more();
  for (int i = 0; i < 4; ++i) worth.learn(of_time(1.1));
  EXPECT_NEAR(worth.of_one_more() / before, 1.0 / 5.0, 1e-9);
}

TEST(Worth, PaysForANewKeyAsForOthersBeforeItsFirst) {
  const auto beginnings = std::make_shared<Beginnings>();
  Worth worth(beginnings);
  worth.note_calls(nanoseconds_from_seconds(1));
  EXPECT_GT(worth.of_one_more(), nanoseconds_from_seconds(1)) << "of nothing anything is known";
  Worth held(beginnings);
  for (int i = 0; i < 100; ++i) held.learn(of_time(1.0));
  EXPECT_LT(worth.of_one_more(), kStep);
}

}  // namespace
}  // namespace wattune::dynamic
