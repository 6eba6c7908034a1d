#include "wattune/search/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;

Parameter counting(const std::string& name, int values) {
  Parameter parameter;
  parameter.name = name;
  for (int i = 0; i < values; ++i) parameter.values.emplace_back(i);
  return parameter;
}

SearchSpace make_space(std::vector<int> sizes, std::vector<Constraint> constraints = {}) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parameters.push_back(counting("p" + std::to_string(i), sizes[i]));
  }
  return SearchSpace::build(std::move(parameters), std::move(constraints)).value();
}

std::unique_ptr<Strategy> make(const std::string& name, const SearchSpace& space, StrategyOptions options = {}) {
  return make_strategy(name, space, options).value();
}

Observation correct(double objective) {
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(objective)};
  return observation;
}

Observation failed() {
  Observation observation;
  observation.status = Status::runtime;
  return observation;
}

// Returns an objective that is convex in every parameter, smallest (100) where each is at 5.
Observation bowl(const SearchSpace& space, ConfigurationId id) {
  double objective = 100.0;
  const Configuration configuration = space.configuration(id);
  for (const Value& value : configuration.values()) objective += std::pow(value.as_real() - 5.0, 2.0);
  return correct(objective);
}

using Measure = Observation (*)(const SearchSpace&, ConfigurationId);

// Runs to the end, or until `limit` evaluations; returns the ids in the order in which they were proposed.
std::vector<ConfigurationId> run(Strategy& strategy, Measure measure, std::size_t at_once = 1,
                                 std::size_t limit = 1'000'000) {
  std::vector<ConfigurationId> order;
  for (auto ids = strategy.ask(at_once); !ids.empty() && order.size() < limit; ids = strategy.ask(at_once)) {
    for (const ConfigurationId id : ids) {
      order.push_back(id);
      strategy.tell(id, measure(strategy.space(), id));
    }
  }
  return order;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : strategies()) names.push_back(info.name);
  return names;
}

class EachStrategy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Search, EachStrategy, testing::ValuesIn(all_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(EachStrategy, VisitsEveryConfigurationOnceAndEnds) {
  const SearchSpace space = make_space({6, 5, 4}, {{"p0 + p1 != 4", {}}});  // 6 * 5 - 5 pairs, times 4
  const auto strategy = make(GetParam(), space);
  const std::vector<ConfigurationId> order = run(*strategy, bowl);
  EXPECT_EQ(order.size(), 100u);
  EXPECT_EQ(std::set<ConfigurationId>(order.begin(), order.end()).size(), 100u);
  EXPECT_TRUE(strategy->ask(1).empty());
}

TEST_P(EachStrategy, EndsAlsoWhenEverythingFails) {
  const SearchSpace space = make_space({4, 4, 4});
  const auto strategy = make(GetParam(), space);
  EXPECT_EQ(run(*strategy, [](const SearchSpace&, ConfigurationId) { return failed(); }).size(), 64u);
}

TEST_P(EachStrategy, EndsAlsoWhenEverythingIsEquallyFast) {
  const SearchSpace space = make_space({4, 4, 4});
  const auto strategy = make(GetParam(), space);
  EXPECT_EQ(run(*strategy, [](const SearchSpace&, ConfigurationId) { return correct(5.0); }).size(), 64u);
}

TEST_P(EachStrategy, TakesTimesOfZeroAndOfNoNumber) {
  const SearchSpace space = make_space({4, 4, 4});
  const auto strategy = make(GetParam(), space);
  const auto measure = [](const SearchSpace&, ConfigurationId id) { return correct(id % 2 == 0 ? 0.0 : std::nan("")); };
  EXPECT_EQ(run(*strategy, measure).size(), 64u);
}

// The least of 2^n and the largest of 2^-n, which an objective holds as -(2^-n), are the same search.
TEST_P(EachStrategy, SearchesForTheLargestAsForTheLeast) {
  const SearchSpace space = make_space({6, 6, 6});
  const auto least = [](const SearchSpace& its, ConfigurationId id) {
    return correct(std::exp2(std::floor(std::sqrt(bowl(its, id).objective()))));
  };
  const auto largest = [](const SearchSpace& its, ConfigurationId id) {
    Observation observation = correct(7.0);
    observation.objective_value = -std::exp2(-std::floor(std::sqrt(bowl(its, id).objective())));
    return observation;
  };
  EXPECT_EQ(run(*make(GetParam(), space), largest, 1, 60), run(*make(GetParam(), space), least, 1, 60));
}

TEST_P(EachStrategy, TakesAMetricOfBothSigns) {
  const SearchSpace space = make_space({4, 4, 4});
  const auto strategy = make(GetParam(), space);
  const auto measure = [](const SearchSpace&, ConfigurationId id) {
    Observation observation = correct(7.0);
    observation.objective_value = static_cast<double>(id) - 31.5;
    return observation;
  };
  EXPECT_EQ(run(*strategy, measure).size(), 64u);
}

TEST_P(EachStrategy, StaysValidInALazySpace) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 8; ++i) parameters.push_back(counting("p" + std::to_string(i), 10));
  space::Predicate predicate;
  for (const Parameter& parameter : parameters) predicate.names.push_back(parameter.name);
  predicate.holds = [](std::span<const Value> values) {
    std::int64_t sum = 0;
    for (const Value& value : values) sum += value.as_integer() * value.as_integer();
    return sum % 3 == 1;
  };
  const SearchSpace space =
      SearchSpace::build(parameters, {}, {predicate}, {.state_budget = 100, .materialise_limit = 100}).value();
  ASSERT_FALSE(space.exact());
  for (const ConfigurationId id : run(*make(GetParam(), space), bowl, 4, 150)) EXPECT_TRUE(space.valid(id));
}

// One of 800,000 configurations is valid, and no diagram says which. Tests of constraints count the cost of a proposal,
// since its time is not for this test to judge.
TEST_P(EachStrategy, ProposesByACountedNumberOfStepsInALazySpace) {
  constexpr std::size_t kMostTested = 400'000;
  std::vector<Parameter> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back(counting("p" + std::to_string(i), 4));
  std::size_t tested = 0;
  std::vector<space::Predicate> predicates;
  for (int c = 0; c < 60; ++c) {
    space::Predicate predicate{.names = {}, .holds = {}, .description = "c" + std::to_string(c)};
    for (const int p : {c % 40, (c * 7 + 3) % 40, (c * 11 + 9) % 40}) predicate.names.push_back(parameters[p].name);
    predicate.holds = [&tested, c](std::span<const Value> values) {
      ++tested;
      return (values[0].as_integer() + 2 * values[1].as_integer() + 3 * values[2].as_integer()) % 5 != c % 5;
    };
    predicates.push_back(std::move(predicate));
  }
  const SearchSpace space =
      SearchSpace::build(parameters, {}, predicates, {.state_budget = 500, .materialise_limit = 100}).value();
  ASSERT_FALSE(space.exact());
  const auto strategy = make(GetParam(), space);
  for (int i = 0; i < 60; ++i) {
    tested = 0;
    const std::vector<ConfigurationId> ids = strategy->ask(1);
    ASSERT_LE(tested, kMostTested) << i;
    ASSERT_EQ(ids.size(), 1u) << i;
    ASSERT_TRUE(space.valid(ids.front()));
    strategy->tell(ids.front(), bowl(space, ids.front()));
  }
}

TEST_P(EachStrategy, FindsItsWayAroundFailures) {
  const SearchSpace space = make_space({8, 8});
  const auto strategy = make(GetParam(), space);
  const auto order =
      run(*strategy, [](const SearchSpace& s, ConfigurationId id) { return id % 3 == 0 ? failed() : bowl(s, id); });
  EXPECT_EQ(order.size(), 64u);
}

TEST_P(EachStrategy, AsksAheadWithoutProposingTwice) {
  const SearchSpace space = make_space({6, 6, 6});
  const auto strategy = make(GetParam(), space);
  std::set<ConfigurationId> seen;
  std::vector<ConfigurationId> outstanding;
  for (int round = 0; round < 1000; ++round) {
    for (const ConfigurationId id : strategy->ask(3)) {
      EXPECT_TRUE(seen.insert(id).second);
      outstanding.push_back(id);
    }
    if (outstanding.empty()) break;
    strategy->tell(outstanding.back(), bowl(space, outstanding.back()));  // the newest first: order must not matter
    outstanding.pop_back();
  }
  EXPECT_EQ(seen.size(), 216u);
}

TEST_P(EachStrategy, EqualSeedsGiveEqualProposals) {
  const SearchSpace space = make_space({10, 10, 10});
  const auto first = make(GetParam(), space, {.seed = 5});
  const auto second = make(GetParam(), space, {.seed = 5});
  EXPECT_EQ(run(*first, bowl, 1, 200), run(*second, bowl, 1, 200));
}

TEST_P(EachStrategy, ProposesTheStartConfigurationFirst) {
  const SearchSpace space = make_space({10, 10});
  const auto strategy = make(GetParam(), space, {.start = 77});
  const auto order = run(*strategy, bowl);
  EXPECT_EQ(order.front(), 77u);
  EXPECT_EQ(order.size(), 100u);
}

TEST_P(EachStrategy, NeverProposesWhatItWasToldBefore) {
  const SearchSpace space = make_space({10, 10});
  const auto strategy = make(GetParam(), space, {.start = 30});
  for (ConfigurationId id = 20; id < 60; ++id) strategy->tell(id, id % 4 == 0 ? failed() : bowl(space, id));
  const auto order = run(*strategy, bowl);
  EXPECT_EQ(order.size(), 60u);
  for (const ConfigurationId id : order) EXPECT_TRUE(id < 20 || id >= 60);
}

TEST_P(EachStrategy, ProposesFromSpacesThatNothingCanHold) {
  const SearchSpace space = make_space(std::vector<int>(100, 2));  // 2^100
  const auto strategy = make(GetParam(), space);
  const auto order = run(*strategy, bowl, 1, 300);
  EXPECT_EQ(std::set<ConfigurationId>(order.begin(), order.end()).size(), 300u);
}

TEST_P(EachStrategy, WorksOnASpaceOfOne) {
  const SearchSpace space = make_space({1});
  EXPECT_EQ(run(*make(GetParam(), space), bowl, 4).size(), 1u);
}

// Returns how many evaluations it takes until the best of 16^3 configurations is found, on average over 20 seeds.
double mean_evaluations_to_optimum(const std::string& name, std::map<std::string, double> parameters = {},
                                   Measure measure = bowl) {
  const SearchSpace space = make_space({16, 16, 16});
  double total = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto strategy = make(name, space, {.seed = seed, .parameters = parameters});
    for (bool found = false; !found; total += 1.0) {
      const ConfigurationId id = strategy->ask(1).at(0);
      const Observation observation = measure(space, id);
      strategy->tell(id, observation);
      found = observation.objective() == 100.0;
    }
  }
  return total / 20.0;
}

// Random draws need (4096 + 1) / 2 evaluations on average, with a standard deviation of 4096 / sqrt(12 * 20) = 264.
TEST(Strategy, LocalSearchesFindTheBottomOfABowlFasterThanRandom) {
  EXPECT_NEAR(mean_evaluations_to_optimum("random"), 2048.5, 3 * 264);
  EXPECT_LT(mean_evaluations_to_optimum("greedy_ils"), 100);
  EXPECT_LT(mean_evaluations_to_optimum("simulated_annealing"), 400);
  EXPECT_LT(mean_evaluations_to_optimum("greedy_ils", {{"neighbourhood", 2}}), 100);
  EXPECT_LT(mean_evaluations_to_optimum("simulated_annealing", {{"neighbourhood", 1}}), 400);
}

// Even the slowest learner must clearly beat the 2,048 evaluations of random draws.
TEST(Strategy, WhatLearnsFindsTheBottomOfABowlFasterThanRandom) {
  for (const std::string& name : all_names()) {
    if (name == "exhaustive" || name == "random") continue;
    EXPECT_LT(mean_evaluations_to_optimum(name), 1000) << name;
  }
  EXPECT_LT(mean_evaluations_to_optimum("auto"), 60);
  EXPECT_LT(mean_evaluations_to_optimum("bayesian_optimisation"), 60);
}

// Returns the bowl with cliffs: two configurations of five, here and there, take up to 30 times as long as those around
// them; not the best one.
Observation bowl_with_cliffs(const SearchSpace& space, ConfigurationId id) {
  Random random(static_cast<std::uint64_t>(id));
  const bool is_slow = random.uniform() < 0.4;
  const double objective = bowl(space, id).objective();
  return correct(is_slow && objective > 100.0 ? objective * std::pow(30.0, random.uniform()) : objective);
}

// The search takes 231 evaluations; a process that follows slow observations as closely as the rest needs 323.
TEST(Strategy, WhatIsSlowHidesLittleFromAProcess) {
  EXPECT_LT(mean_evaluations_to_optimum("bayesian_optimisation", {}, bowl_with_cliffs), 280);
}

TEST(Strategy, EachCrossoverAndAcquisitionWorks) {
  for (double choice = 0; choice < 4; ++choice) {
    EXPECT_LT(mean_evaluations_to_optimum("genetic_algorithm", {{"crossover", choice}}), 1000) << choice;
    EXPECT_LT(mean_evaluations_to_optimum("bayesian_optimisation", {{"acquisition", choice}}), 100) << choice;
  }
}

TEST(Strategy, PopulationsAreMeasuredTogether) {
  const SearchSpace space = make_space({10, 10, 10});
  for (const char* name : {"genetic_algorithm", "differential_evolution", "particle_swarm", "firefly"}) {
    EXPECT_EQ(make(name, space, {.parameters = {{"population", 12}}})->ask(30).size(), 12u) << name;
  }
}

TEST(Strategy, BestImprovementMeasuresAllNeighboursTogether) {
  const SearchSpace space = make_space({4, 5});
  const auto strategy = make("mls", space, {.start = 7});
  EXPECT_EQ(strategy->ask(20), std::vector<ConfigurationId>{7});
  strategy->tell(7, bowl(space, 7));
  EXPECT_EQ(strategy->ask(20).size(), 3u + 4u);
}

// No value of 4 x 4 is among the first four twice.
TEST(Strategy, AutoBeginsWithConfigurationsThatShowAllValues) {
  const SearchSpace space = make_space({4, 4});
  std::set<std::string> first, second;
  for (const ConfigurationId id : make("auto", space)->ask(4)) {
    first.insert(space.configuration(id).values()[0].to_string());
    second.insert(space.configuration(id).values()[1].to_string());
  }
  EXPECT_EQ(first.size(), 4u);
  EXPECT_EQ(second.size(), 4u);
}

// Returns the times 1 to 480 in an order that says nothing.
std::vector<double> shuffled_times(std::uint64_t seed) {
  std::vector<double> times(480);
  std::iota(times.begin(), times.end(), 1.0);
  Random random(seed);
  for (std::size_t i = times.size(); i > 1; --i) std::swap(times[i - 1], times[random.below(i)]);
  return times;
}

// The times teach nothing, and 15 different configurations of 480 are as good as drawn. The best has rank (480 + 1) /
// (15 + 1) = 30.1 on average, with a deviation of sqrt(15 * 465 * 481 / 17) / 16 = 27.8.
TEST(Strategy, AutoIsAsGoodAsRandomOnShuffledTimes) {
  const SearchSpace space = make_space({8, 6, 10});
  double ranks = 0.0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<double> times = shuffled_times(1000 + seed);
    const auto strategy = make("auto", space, {.seed = seed});
    double best = 480.0;
    for (int evaluation = 0; evaluation < 15; ++evaluation) {
      const ConfigurationId id = strategy->ask(1).at(0);
      const double time = times[static_cast<std::size_t>(id)];
      best = std::min(best, time);
      strategy->tell(id, correct(time));
    }
    ranks += best;
  }
  EXPECT_NEAR(ranks / 50, 30.1, 3 * 27.8 / std::sqrt(50.0));
}

// Predictions are wrong there, so that deviations are widened and other configurations promise most.
TEST(Strategy, AutoIsCalibratedByWrongPredictions) {
  const SearchSpace space = make_space({8, 6, 10});
  const auto shuffled = [](const SearchSpace&, ConfigurationId id) {
    static const std::vector<double> times = shuffled_times(1);
    return correct(times[static_cast<std::size_t>(id)]);
  };
  const auto sure = make("auto", space, {.parameters = {{"calibrate", 0}}});
  EXPECT_NE(run(*make("auto", space), shuffled, 1, 40), run(*sure, shuffled, 1, 40));
}

// Returns how many places lie between a configuration and the nearest of those before it.
int step_to(const SearchSpace& space, const std::vector<ConfigurationId>& order, std::size_t at) {
  int nearest = std::numeric_limits<int>::max();
  for (std::size_t other = 0; other < at; ++other) {
    int places = 0;
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      places += static_cast<int>(std::abs(space.configuration(order[at]).values()[p].as_integer() -
                                          space.configuration(order[other]).values()[p].as_integer()));
    }
    nearest = std::min(nearest, places);
  }
  return nearest;
}

// After four spread configurations and five proposals of the models the sixth explores: it lies farther from what is
// known than without exploring, over many seeds.
TEST(Strategy, AutoExploresWhereItIsUnsure) {
  const SearchSpace space = make_space({20, 20, 20});
  int with = 0;
  int without = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto exploring = make("auto", space, {.seed = seed, .parameters = {{"explore", 6}}});
    const auto greedy = make("auto", space, {.seed = seed, .parameters = {{"explore", 0}}});
    const std::vector<ConfigurationId> explored = run(*exploring, bowl, 1, 10);
    const std::vector<ConfigurationId> expected = run(*greedy, bowl, 1, 10);
    ASSERT_TRUE(std::equal(explored.begin(), explored.begin() + 9, expected.begin()));
    with += step_to(space, explored, 9);
    without += step_to(space, expected, 9);
  }
  EXPECT_GT(with, without);
}

// From a hundred outcomes on the models choose by themselves, nearer to the best than before, if every proposal
// explores. They use the bound, which leads farther the wider deviations are. Until 110 outcomes a hundred without a
// new best are impossible.
TEST(Strategy, AutoExploresByItsModelsAtFirstAlone) {
  const SearchSpace space = make_space({21, 21, 21});
  double before = 0.0;
  double after = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto strategy = make("auto", space, {.seed = seed, .parameters = {{"explore", 1}, {"acquisition", 1}}});
    const std::vector<ConfigurationId> order = run(*strategy, bowl, 1, 110);
    for (std::size_t i = 90; i < 100; ++i) before += bowl(space, order[i]).objective() - 100.0;
    for (std::size_t i = 100; i < 110; ++i) after += bowl(space, order[i]).objective() - 100.0;
  }
  EXPECT_LT(after, 0.2 * before);
}

// Half of the space fails, as one parameter tells.
TEST(Strategy, ModelsLearnWhatFails) {
  const SearchSpace space = make_space({2, 12, 12});
  for (const char* name : {"auto", "bayesian_optimisation"}) {
    const auto strategy = make(name, space);
    int failures = 0;
    for (int evaluation = 0; evaluation < 60; ++evaluation) {
      const ConfigurationId id = strategy->ask(1).at(0);
      const bool fails = space.configuration(id).values()[0].as_integer() == 1;
      failures += fails ? 1 : 0;
      strategy->tell(id, fails ? failed() : bowl(space, id));
    }
    EXPECT_LT(failures, 20) << name;  // by chance 30
  }
}

// The pending work is done by whoever asked for it, and no more by ask(); the search visits all the same, equally each
// time.
TEST(Strategy, LearnsAheadOfTheNextProposalWhereSomebodyLetsIt) {
  const SearchSpace space = make_space({6, 6, 6});
  const auto visits = [&] {
    const auto strategy = make("auto", space);
    std::vector<ConfigurationId> order;
    int worked = 0;
    for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
      if (const std::function<void()> work = strategy->pending_work()) {
        work();
        ++worked;
        EXPECT_FALSE(strategy->pending_work());
      }
      order.push_back(ids[0]);
      strategy->tell(ids[0], bowl(space, ids[0]));
    }
    EXPECT_GE(worked, 5);
    return order;
  };
  const std::vector<ConfigurationId> order = visits();
  EXPECT_EQ(std::set(order.begin(), order.end()).size(), 216u);
  EXPECT_EQ(order, visits());
  EXPECT_FALSE(make("random", space)->pending_work());
}

TEST(Strategy, DifferentSeedsGiveDifferentProposals) {
  const SearchSpace space = make_space({10, 10, 10});
  for (const std::string& name : all_names()) {
    if (name == "exhaustive") continue;
    const auto first = make(name, space, {.seed = 5});
    const auto second = make(name, space, {.seed = 6});
    EXPECT_NE(run(*first, bowl, 1, 50), run(*second, bowl, 1, 50)) << name;
  }
}

TEST(Strategy, ExhaustiveGoesThroughIdsInOrder) {
  const SearchSpace space = make_space({3, 3});
  EXPECT_EQ(make("exhaustive", space)->ask(9), (std::vector<ConfigurationId>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Strategy, ThoseThatNeedNoOutcomesGiveAllThatIsAsked) {
  const SearchSpace space = make_space({10, 10});
  EXPECT_EQ(make("random", space)->ask(100).size(), 100u);
  EXPECT_EQ(make("exhaustive", space)->ask(1000).size(), 100u);
}

TEST(Strategy, LocalSearchesWaitForTheOutcome) {
  const SearchSpace space = make_space({10, 10});
  const auto strategy = make("greedy_ils", space, {.start = 12});
  EXPECT_EQ(strategy->ask(8), std::vector<ConfigurationId>{12});
  EXPECT_TRUE(strategy->ask(8).empty());
  strategy->tell(12, bowl(space, 12));
  EXPECT_EQ(strategy->ask(8).size(), 1u);
}

TEST(Strategy, LocalSearchesGoOnFromTheBestOfAResumedRun) {
  const SearchSpace space = make_space({10, 10});
  const auto strategy = make("greedy_ils", space, {.start = 0});
  for (ConfigurationId id = 0; id < 60; ++id) strategy->tell(id, correct(id == 44 ? 10.0 : 100.0));
  const ConfigurationId proposed = strategy->ask(1).at(0);
  const auto neighbours = space.neighbours(44, space::Neighbourhood::hamming);
  EXPECT_NE(std::find(neighbours.begin(), neighbours.end(), proposed), neighbours.end());
}

TEST(Strategy, UnknownNamesAndValuesAreRefusedWithAdvice) {
  const SearchSpace space = make_space({10, 10});
  const auto message = [&](const std::string& name, std::map<std::string, double> parameters) {
    return make_strategy(name, space, {.parameters = std::move(parameters)}).error().to_string();
  };
  EXPECT_EQ(message("greedy_isl", {}), "unknown strategy: `greedy_isl` (did you mean `greedy_ils`?)");
  EXPECT_EQ(message("diff_evo", {}), "unknown strategy: `diff_evo` (Wattune calls it `differential_evolution`)");
  EXPECT_EQ(message("greedy_ils", {{"random_wlk", 0.5}}),
            "strategy greedy_ils has no such parameter: `random_wlk` (did you mean `random_walk`?)");
  EXPECT_EQ(message("exhaustive", {{"walk", 0.5}}), "strategy exhaustive has no such parameter: `walk` (it has none)");
  EXPECT_EQ(message("greedy_ils", {{"random_walk", 2}}),
            "strategy parameter random_walk must be between 0 and 1: `random_walk=2`");
  EXPECT_EQ(message("greedy_ils", {{"neighbourhood", 0.5}}),
            "strategy parameter neighbourhood must be a whole number between 0 and 2: `neighbourhood=0.5`");
}

// 3^30 - 1 configurations are adjacent to each one.
TEST(Strategy, AdjacentNeighbourhoodsOfManyParametersStayBounded) {
  const SearchSpace space = make_space(std::vector<int>(30, 3));
  for (const char* name : {"greedy_ils", "simulated_annealing"}) {
    const auto strategy = make(name, space, {.parameters = {{"neighbourhood", 2}}});
    EXPECT_EQ(run(*strategy, bowl, 1, 20).size(), 20u);
  }
}

// The known configurations are more than a population may meet without something new.
TEST(Exhaustive, KeepsItsOrderAfterALongRun) {
  const SearchSpace space = make_space({40, 40});
  const auto strategy = make("exhaustive", space);
  for (ConfigurationId id = 0; id < 1000; ++id) strategy->tell(id, correct(1.0));
  EXPECT_EQ(strategy->ask(3), (std::vector<ConfigurationId>{1000, 1001, 1002}));
}

// The second half of a round moves one coordinate at a time, which draws at random hardly ever do.
TEST(DualAnnealing, JumpsAtBothEndsOfItsTails) {
  const SearchSpace space = make_space({1000, 1000, 1000});
  const std::vector<StrategyParameter> parameters = find_strategy("dual_annealing")->parameters;
  const auto visit = std::ranges::find(parameters, "visit", &StrategyParameter::name);
  for (const double tails : {visit->minimum, visit->maximum}) {
    const auto strategy = make("dual_annealing", space, {.parameters = {{"visit", tails}}});
    const std::vector<ConfigurationId> order = run(*strategy, bowl, 1, 60);
    int single = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::vector<Value> before = space.configuration(order[i - 1]).values();
      const std::vector<Value> after = space.configuration(order[i]).values();
      const int kept =
          std::inner_product(before.begin(), before.end(), after.begin(), 0, std::plus<>(), std::equal_to<>());
      single += kept == 2 ? 1 : 0;
    }
    EXPECT_GT(single, 5) << tails;
  }
}

// Proposes the ids in their order.
class InOrder : public Strategy {
 public:
  InOrder(const space::SearchSpace& space, const StrategyOptions& options) : Strategy(space, options) {}

 private:
  std::optional<ConfigurationId> do_propose() override {
    while (next_ < space().count() && visited(next_)) ++next_;
    return next_ < space().count() ? std::optional(next_) : std::nullopt;
  }
  void do_learn(ConfigurationId, std::optional<double>) override {}

  ConfigurationId next_ = 0;
};

TEST(RegisterStrategy, MakesItByItsNameWithCheckedParameters) {
  double given = 0.0;
  const auto make = [&given](const space::SearchSpace& space, const StrategyOptions& options) {
    given = options.parameters.at("speed");
    return std::make_unique<InOrder>(space, options);
  };
  StrategyInfo info{.name = "in_order", .description = "ids in their order", .parameters = {{"speed", 2.0, 1.0, 9.0}}};
  ASSERT_TRUE(register_strategy(info, make));
  EXPECT_EQ(register_strategy(info, make).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(register_strategy({.name = "empty"}, {}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(register_strategy({.name = "auto"}, make).error().code(), ErrorCode::already_exists);
  ASSERT_NE(find_strategy("in_order"), nullptr);
  EXPECT_EQ(strategies().back().name, "in_order");
  const auto space = space::SearchSpace::build({{.name = "x", .values = {1, 2, 3}}}, {}).value();
  const auto strategy = make_strategy("in_order", space, {});
  ASSERT_TRUE(strategy) << strategy.error().to_string();
  EXPECT_EQ(given, 2.0);
  EXPECT_EQ((*strategy)->ask(3), (std::vector<ConfigurationId>{0, 1, 2}));
  EXPECT_EQ(make_strategy("in_order", space, {.parameters = {{"speed", 10.0}}}).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::search
