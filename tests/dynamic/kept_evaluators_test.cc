#include "dynamic/screening/kept_evaluators.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

// An evaluator that counts how many of its kind are alive.
class Counted : public tune::Evaluator {
 public:
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() override { --alive_; }
  Result<Observation> evaluate(const Configuration&) override { return Observation(); }

 private:
  int& alive_;
};

struct KeptEvaluatorsTest : testing::Test {
  void keep(const std::shared_ptr<int>& owner, std::uint64_t bytes) {
    kept.keep(owner, std::make_unique<Counted>(alive), bytes);
  }

  int alive = 0;
  KeptEvaluators kept;
  const std::shared_ptr<int> first = std::make_shared<int>();
  const std::shared_ptr<int> second = std::make_shared<int>();
  const std::shared_ptr<int> third = std::make_shared<int>();
};

TEST_F(KeptEvaluatorsTest, IsTakenByWhomItWasKeptFor) {
  keep(first, 100);
  EXPECT_TRUE(kept.has(first.get()));
  EXPECT_EQ(kept.take(second.get()), nullptr);
  EXPECT_NE(kept.take(first.get()), nullptr);
  EXPECT_FALSE(kept.has(first.get()));
  EXPECT_EQ(kept.bytes(), 0u);
}

TEST_F(KeptEvaluatorsTest, WhatWasKeptLongestGoesFirst) {
  keep(first, 100);
  keep(second, 100);
  kept.keep(first, kept.take(first.get()), 100);
  keep(third, 100);
  EXPECT_FALSE(kept.has(second.get()));
  EXPECT_TRUE(kept.has(first.get()));
  EXPECT_TRUE(kept.has(third.get()));
  EXPECT_EQ(alive, 2);
}

TEST_F(KeptEvaluatorsTest, MakesRoomForOthers) {
  keep(first, 100);
  keep(second, 50);
  kept.let_go_beyond(150);
  EXPECT_EQ(alive, 2);
  kept.let_go_beyond(149);
  EXPECT_TRUE(kept.has(second.get()));
  EXPECT_EQ(kept.bytes(), 50u);
  EXPECT_EQ(alive, 1);
  kept.let_go_of_all();
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace wattune::dynamic
