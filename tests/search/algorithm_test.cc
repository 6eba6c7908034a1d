#include "search/strategies/algorithm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;

SearchSpace line(int size) {
  Parameter parameter;
  parameter.name = "x";
  for (int i = 0; i < size; ++i) parameter.values.emplace_back(i);
  return SearchSpace::build({parameter}, {}).value();
}

Observation took(double objective) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(objective)};
  return observation;
}

// An algorithm whose body is given by the test.
class Scripted : public Algorithm {
 public:
  using Body = std::function<Task<>(Scripted&)>;
  Scripted(const SearchSpace& space, Body body) : Algorithm(space, {}), body_(std::move(body)) {}

  using Algorithm::evaluate;
  using Algorithm::evaluate_all;
  using Algorithm::submit;
  int begun = 0;
  std::vector<Outcome> seen;

 private:
  Task<> search() override {
    ++begun;
    return body_(*this);
  }
  Body body_;
};

using Ids = std::vector<ConfigurationId>;

TEST(Algorithm, WhatIsAwaitedTogetherIsHandedOutTogether) {
  const SearchSpace space = line(10);
  Scripted algorithm(space, [](Scripted& self) -> Task<> {
    Ids ids = {3, 5, 3, 7};
    self.seen = co_await self.evaluate_all(ids);
    co_await self.evaluate(9);
  });
  EXPECT_EQ(algorithm.ask(8), (Ids{3, 5, 7}));
  algorithm.tell(7, took(70));
  algorithm.tell(3, took(30));
  EXPECT_TRUE(algorithm.ask(8).empty());  // waits for 5
  algorithm.tell(5, took(50));
  EXPECT_EQ(algorithm.ask(1), Ids{9});
  EXPECT_EQ(algorithm.seen, (std::vector<Outcome>{30, 50, 30, 70}));
}

TEST(Algorithm, KnownOutcomesAreAnsweredWithoutAProposal) {
  const SearchSpace space = line(10);
  Scripted algorithm(space, [](Scripted& self) -> Task<> {
    self.seen.push_back(co_await self.evaluate(4));
    co_await self.evaluate(6);
  });
  algorithm.tell(4, took(44));
  EXPECT_EQ(algorithm.ask(1), Ids{6});
  EXPECT_EQ(algorithm.seen, std::vector<Outcome>{44});
}

TEST(Algorithm, SubmittedOnesAreNotWaitedFor) {
  const SearchSpace space = line(10);
  Scripted algorithm(space, [](Scripted& self) -> Task<> {
    for (ConfigurationId id = 0; id < 4; ++id) co_await self.submit(id);
    co_await self.evaluate(2);  // outstanding: waits without proposing it again
    co_await self.submit(8);
  });
  EXPECT_EQ(algorithm.ask(4), (Ids{0, 1, 2, 3}));
  EXPECT_TRUE(algorithm.ask(1).empty());
  algorithm.tell(2, took(1));
  EXPECT_EQ(algorithm.ask(1), Ids{8});
}

Task<double> twice(Scripted& self, ConfigurationId id) {
  const Outcome outcome = co_await self.evaluate(id);
  co_return 2.0 * *outcome;
}

// A million Tasks end at once; a stack frame of the machine for each would not fit into memory.
TEST(Algorithm, TasksNestWithoutRecursion) {
  const SearchSpace space = line(10);
  double sum = 0.0;
  Scripted algorithm(space, [&sum](Scripted& self) -> Task<> {
    sum += co_await twice(self, 1);
    const auto nothing = [](Scripted&) -> Task<int> { co_return 1; };
    for (int i = 0; i < 1'000'000; ++i) sum += co_await nothing(self);
    co_await self.evaluate(2);
  });
  algorithm.ask(1);
  algorithm.tell(1, took(5));
  EXPECT_EQ(algorithm.ask(1), Ids{2});
  EXPECT_EQ(sum, 1'000'010.0);
}

TEST(Algorithm, ABodyThatFindsNothingNewBeginsAnewElsewhere) {
  const SearchSpace space = line(5);
  Scripted algorithm(space, [](Scripted& self) -> Task<> {
    for (;;) co_await self.evaluate(0);
  });
  Ids order;
  for (Ids ids = algorithm.ask(1); !ids.empty(); ids = algorithm.ask(1)) {
    order.push_back(ids.front());
    algorithm.tell(ids.front(), took(1));
  }
  EXPECT_EQ(order.size(), 5u);
  EXPECT_EQ(order.front(), 0u);
  EXPECT_GE(algorithm.begun, 4);
}

TEST(Algorithm, TimesThatAreNoNumbersCountAsFailures) {
  const SearchSpace space = line(5);
  Scripted algorithm(space, [](Scripted& self) -> Task<> {
    Ids ids = {0, 1, 2};
    self.seen = co_await self.evaluate_all(ids);
    co_await self.evaluate(3);
  });
  algorithm.ask(3);
  algorithm.tell(0, took(std::nan("")));
  algorithm.tell(1, took(INFINITY));
  algorithm.tell(2, took(3));
  algorithm.ask(1);
  EXPECT_EQ(algorithm.seen, (std::vector<Outcome>{std::nullopt, std::nullopt, 3.0}));
}

}  // namespace
}  // namespace wattune::search
