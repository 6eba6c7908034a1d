#include "search/interface/slowdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;
using testing::ElementsAre;
using testing::Pair;

SearchSpace space_of(int size) {
  std::vector<Value> values;
  for (int i = 0; i < size; ++i) values.emplace_back(i);
  return SearchSpace::build({{"p", values, {}, {}}}, {}).value();
}

Observation timed_with_energy(double ns, double joules) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(ns)};
  observation.objective_value = joules;
  return observation;
}

using Learned = std::vector<std::pair<ConfigurationId, std::optional<double>>>;

// A strategy that proposes 0, 1, 2 ... and writes down what it is told.
class Counting : public Strategy {
 public:
  Counting(const SearchSpace& space, Learned& learned) : Strategy(space, {}), learned_(learned) { learned.clear(); }

 private:
  std::optional<ConfigurationId> do_propose() override {
    return next_ < space().count() ? std::optional(ConfigurationId(next_++)) : std::nullopt;
  }
  void do_learn(ConfigurationId id, std::optional<double> objective) override { learned_.emplace_back(id, objective); }

  Learned& learned_;
  std::uint64_t next_ = 0;
};

class Slowdown : public testing::Test {
 protected:
  std::unique_ptr<Strategy> within(double slowdown) {
    return *make_strategy_within(slowdown, space, [this]() -> Result<std::unique_ptr<Strategy>> {
      ++made;
      return std::unique_ptr<Strategy>(std::make_unique<Counting>(space, learned));
    });
  }

  SearchSpace space = space_of(6);
  Learned learned;
  int made = 0;
};

// With 10 % over 100 ns, 110 count. 220 ns take twice that, so they count as twice the 8 J of the fastest, however
// little energy they take.
TEST_F(Slowdown, WhatIsTooSlowCountsAsWorseThanTheFastest) {
  const auto strategy = within(0.1);
  strategy->tell(0, timed_with_energy(100, 8));
  strategy->tell(1, timed_with_energy(110, 5));
  strategy->tell(2, timed_with_energy(220, 1));
  EXPECT_THAT(learned, ElementsAre(Pair(0, 8.0), Pair(1, 5.0), Pair(2, 16.0)));
  EXPECT_EQ(made, 1);
}

// Beside 90 ns, 99 count. 110 do not any more, and count as 6 J * 110 / 99.
TEST_F(Slowdown, AFasterOneHasEarlierOnesJudgedAnew) {
  const auto strategy = within(0.1);
  strategy->tell(0, timed_with_energy(100, 8));
  strategy->tell(1, timed_with_energy(110, 5));
  strategy->tell(2, timed_with_energy(90, 6));
  EXPECT_EQ(made, 2);
  ASSERT_EQ(learned.size(), 3u);
  EXPECT_THAT(learned[2], Pair(2, 6.0));
  EXPECT_EQ(learned[1].first, 1u);
  EXPECT_NEAR(*learned[1].second, 6.0 * 110 / 99, 1e-9);
}

// A new strategy proposes what is still being measured, too.
TEST_F(Slowdown, NothingIsProposedTwice) {
  const auto strategy = within(0.1);
  EXPECT_THAT(strategy->ask(3), ElementsAre(0, 1, 2));
  strategy->tell(0, timed_with_energy(110, 5));
  strategy->tell(1, timed_with_energy(90, 6));
  EXPECT_EQ(made, 2);
  EXPECT_THAT(strategy->ask(9), ElementsAre(3, 4, 5));
}

TEST_F(Slowdown, FailuresStayFailures) {
  const auto strategy = within(0.0);
  strategy->tell(0, Observation{.status = Status::runtime});
  EXPECT_THAT(learned, ElementsAre(Pair(0, std::nullopt)));
}

TEST_F(Slowdown, IsNotNegative) {
  const auto make = [this]() -> Result<std::unique_ptr<Strategy>> {
    return std::unique_ptr<Strategy>(std::make_unique<Counting>(space, learned));
  };
  EXPECT_FALSE(make_strategy_within(-0.1, space, make));
  EXPECT_FALSE(make_strategy_within(std::numeric_limits<double>::quiet_NaN(), space, make));
}

// Energy falls with p and time rises: 0 to 20 of 0 to 99 are allowed (100 + 20 of 100 ns), so 20 is the best. Every
// strategy that learns finds it among 100, and none is misled by what is better and too slow.
TEST(SlowdownOf, EveryStrategyEndsWithTheBestThatIsAllowed) {
  const SearchSpace space = space_of(100);
  for (const StrategyInfo& info : strategies()) {
    if (info.reads_counters) continue;
    const auto strategy =
        *make_strategy_within(0.2, space, [&] { return make_strategy(info.name, space, {.seed = 3}); });
    std::optional<double> best;
    for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
      const double p = static_cast<double>(ids.front());
      if (p <= 20 && (!best || 200.0 - p < *best)) best = 200.0 - p;
      strategy->tell(ids.front(), timed_with_energy(100.0 + p, 200.0 - p));
    }
    EXPECT_EQ(best, 180.0) << info.name;
  }
}

}  // namespace
}  // namespace wattune::search
