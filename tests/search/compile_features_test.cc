// Compile features: the compiler's figures of configurations before they run, and how searches use them.
#include "wattune/search/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/interface/slowdown.h"
#include "search/models/failure_model.h"
#include "search/models/feature_columns.h"
#include "search/strategies/start_plan.h"

namespace wattune::inline v0_1::search {
namespace {

using Ids = std::vector<ConfigurationId>;

// Returns a space of 0 to n - 1, in an order that says nothing of them.
space::SearchSpace line_of(int n) {
  std::vector<Value> values;
  for (int i = 0; i < n; ++i) values.emplace_back(i);
  return space::SearchSpace::build({{"p", std::move(values), {}, {}}}, {}).value();
}

std::vector<Metric> with_registers(double count) { return {{"registers", count, ""}}; }
std::vector<Metric> in_memory(double bytes) { return {{"private_memory", bytes, "B"}}; }

std::unique_ptr<Strategy> searching(const space::SearchSpace& space, double features, std::uint64_t seed = 1) {
  return make_strategy("auto", space, {.seed = seed, .parameters = {{"features", features}}}).value();
}

Observation taking(double nanoseconds) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(nanoseconds)};
  return observation;
}

// Registers are told apart over the five octaves from 8 to 256: 16 is one octave above the least, 64 three.
TEST(FeatureColumns, AreSharesOfARangeOfLogarithms) {
  FeatureColumns features;
  features.learn(1, with_registers(16), {0.0});
  features.learn(2, with_registers(64), {1.0});
  features.learn(3, with_registers(1e9), {2.0});
  EXPECT_NEAR(features.of(1, {0.0})[0], 0.2, 1e-12);
  EXPECT_NEAR(features.of(2, {1.0})[0], 0.6, 1e-12);
  EXPECT_EQ(features.of(3, {2.0})[0], 1.0);
}

TEST(FeatureColumns, LieInTheMiddleWhereNothingIsTold) {
  FeatureColumns features;
  for (const double column : features.of(1, {0.0})) EXPECT_EQ(column, 0.5);
  features.learn(1, {{Metric{"occupancy", std::nan(""), ""}}}, {0.0});
  for (const double column : features.of(1, {0.0})) EXPECT_EQ(column, 0.5);
}

TEST(FeatureColumns, TakeWhatNobodyCompiledForTheNearest) {
  FeatureColumns features;
  features.learn(1, with_registers(16), {0.0});
  features.learn(2, with_registers(64), {1.0});
  EXPECT_FALSE(features.knows(3));
  EXPECT_EQ(features.of(3, {0.4}), features.of(1, {0.0}));
  EXPECT_EQ(features.of(3, {0.6}), features.of(2, {1.0}));
}

// A kernel does not spill if all its configurations have an array in memory.
TEST(FeatureColumns, SpillWhereMoreThanTheLeastIsInMemory) {
  FeatureColumns features;
  features.learn(1, in_memory(40), {0.0});
  EXPECT_FALSE(features.spills(1));
  features.learn(2, in_memory(32), {1.0});
  EXPECT_TRUE(features.spills(1));
  EXPECT_FALSE(features.spills(2));
}

TEST(StartPlan, PutsTheNearestThatDoesNotSpillInThePlaceOfOneThatDoes) {
  const space::SearchSpace space = line_of(10);
  ModelInput input(space, true);
  StartPlan plan;
  plan.make({4, 9}, {0, 3, 6});
  std::set<ConfigurationId> proposed;
  const StartPlan::IsVisited visited = [&](ConfigurationId id) { return proposed.contains(id); };
  EXPECT_EQ(plan.rest(visited), (Ids{4, 9, 0, 3, 6}));
  EXPECT_EQ(plan.at(0, input, visited), 4u);
  input.learn(4, in_memory(8));
  EXPECT_EQ(plan.at(0, input, visited), 4u);  // it has the least of those that are known
  input.learn(0, in_memory(0));
  EXPECT_EQ(plan.at(0, input, visited), 0u);
  input.learn(3, in_memory(0));
  input.learn(6, in_memory(8));
  EXPECT_EQ(plan.at(0, input, visited), 3u);
  proposed = {9};
  EXPECT_EQ(plan.at(1, input, visited), 3u);
  EXPECT_EQ(plan.rest(visited), (Ids{4, 0, 3, 6}));
}

TEST(FailureModel, ExpectsSuccessUntilSomethingFailedAndThenWhatItLearned) {
  const space::SearchSpace space = line_of(10);
  const Encoding encoding(space);
  FailureModel model(encoding);
  Random random(1);
  for (ConfigurationId id = 0; id < 5; ++id) model.remember(id, true);
  model.grow(20, random);
  const std::vector<std::uint16_t> low = {1};
  const std::vector<std::uint16_t> high = {8};
  EXPECT_EQ(model.success(high), 1.0);
  for (ConfigurationId id = 5; id < 10; ++id) model.remember(id, false);
  model.grow(20, random);
  EXPECT_GT(model.success(low), 0.9);
  EXPECT_LT(model.success(high), 0.1);
}

TEST(Prospects, AreNamedByThoseWhoMakeUseOfFeatures) {
  const space::SearchSpace space = line_of(100);
  EXPECT_TRUE(searching(space, 0)->prospects().empty());
  EXPECT_TRUE(make_strategy("random", space).value()->prospects().empty());
  const auto strategy = searching(space, 7);
  EXPECT_GE(strategy->prospects().size(), 7u);
  for (int i = 0; i < 20; ++i) {
    const Ids prospects = strategy->prospects();
    const ConfigurationId next = strategy->ask(1).at(0);
    strategy->tell(next, taking(100.0 + static_cast<double>(next)));
    if (i < 6) continue;  // past the start
    EXPECT_EQ(prospects.size(), 7u);
    EXPECT_EQ(std::set(prospects.begin(), prospects.end()).size(), 7u);
  }
}

TEST(Prospects, ThatDoNotRunAreNeverProposed) {
  const space::SearchSpace space = line_of(60);
  const auto strategy = searching(space, 10);
  std::set<ConfigurationId> refused;
  for (;;) {
    for (const ConfigurationId id : strategy->prospects()) {
      if (id % 2 == 0) continue;
      strategy->foresee(id, {.runs = false, .metrics = {}});
      refused.insert(id);
    }
    const Ids next = strategy->ask(1);
    if (next.empty()) break;
    EXPECT_FALSE(refused.contains(next[0]));
    strategy->tell(next[0], taking(1.0));
  }
  EXPECT_GT(refused.size(), 20u);
}

TEST(Prospects, AreNamedAndForeseenUnderASlowdownToo) {
  const space::SearchSpace space = line_of(60);
  const auto make = [&]() -> Result<std::unique_ptr<Strategy>> { return searching(space, 10); };
  const auto strategy = make_strategy_within(0.1, space, make).value();
  const Ids prospects = strategy->prospects();
  EXPECT_GE(prospects.size(), 10u);
  for (const ConfigurationId id : prospects) strategy->foresee(id, {.runs = false, .metrics = {}});
  EXPECT_TRUE(strategy->prospects().empty());
  EXPECT_EQ(std::ranges::count(prospects, strategy->ask(1).at(0)), 0);
}

// No configuration runs, so that nothing is left to propose, which ends the search.
TEST(Prospects, MayAllNotRun) {
  const space::SearchSpace space = line_of(30);
  const auto strategy = searching(space, 5);
  for (ConfigurationId id = 0; id < 30; ++id) strategy->foresee(id, {.runs = false, .metrics = {}});
  EXPECT_TRUE(strategy->prospects().empty());
  EXPECT_TRUE(strategy->ask(1).empty());
}

// Each configuration has 16 to 207 registers, by its place in a shuffled order, and a time that grows with them: values
// say nothing, the compiler all. The best of 25 drawn ones has on average the rank 193 / 26 = 7.4.
TEST(Prospects, AreChosenAmongByWhatTheCompilerSays) {
  constexpr int kCount = 192;
  const space::SearchSpace space = line_of(kCount);
  std::vector<double> registers_of(kCount);
  Random random(5);
  for (int i = 0; i < kCount; ++i) registers_of[static_cast<std::size_t>(i)] = 16.0 + i;
  for (std::size_t i = kCount; i > 1; --i) std::swap(registers_of[i - 1], registers_of[random.below(i)]);
  const auto rank_of_best = [&](double features, std::uint64_t seed) {
    const auto strategy = searching(space, features, seed);
    double best = kCount;
    for (int evaluation = 0; evaluation < 25; ++evaluation) {
      for (const ConfigurationId id : strategy->prospects())
        strategy->foresee(id, {.runs = true, .metrics = with_registers(registers_of[static_cast<std::size_t>(id)])});
      const ConfigurationId id = strategy->ask(1).at(0);
      const double rank = registers_of[static_cast<std::size_t>(id)] - 15.0;
      best = std::min(best, rank);
      strategy->tell(id, taking(100.0 * (1.0 + rank)));
    }
    return best;
  };
  double with = 0.0;
  double without = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    with += rank_of_best(16, seed) / 10;
    without += rank_of_best(0, seed) / 10;
  }
  EXPECT_LT(with, 7.4 / 2);
  EXPECT_GT(without, 7.4 / 2);
}

}  // namespace
}  // namespace wattune::search
