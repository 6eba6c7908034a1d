#include "wattune/core/trial.h"

#include <gtest/gtest.h>

#include <limits>

#include "wattune/core/kernel_spec.h"

namespace wattune {
namespace {

// Returns a Trial with these values of the parameters a and b.
Trial trial_of(Value a, Value b) {
  static const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"a", "b"});
  Trial trial;
  trial.configuration = Configuration(0, names, {std::move(a), std::move(b)});
  return trial;
}

// Returns a correct Trial of this time. Each time has a configuration of its own.
Trial timed(double ns) {
  Trial trial = trial_of(ns, "timed");
  trial.observation.statistics = Statistics{.median = Nanoseconds(ns)};
  return trial;
}

Trial failed(Status status) {
  Trial trial = trial_of(0, "failed");
  trial.observation.status = status;
  return trial;
}

TEST(ResultSet, BestIsTheFastestCorrectTrial) {
  ResultSet results;
  EXPECT_EQ(results.best(), nullptr);
  results.trials = {failed(Status::compile), timed(30), timed(10), timed(20)};
  ASSERT_NE(results.best(), nullptr);
  EXPECT_DOUBLE_EQ(results.best()->observation.objective(), 10.0);
}

Trial finalist(double ns, FinalPlace place, int second) {
  Trial trial = timed(ns);
  trial.observation.final_place = place;
  trial.finished_at += std::chrono::seconds(second);
  return trial;
}

// The Trial of 90 ns was measured before the final, in which the device was slower.
TEST(ResultSet, TheWinnerOfTheShootOutBeatsWhatWasMeasuredBefore) {
  ResultSet results;
  results.trials = {finalist(90, FinalPlace::none, 1), finalist(100, FinalPlace::winner, 5),
                    finalist(99, FinalPlace::tied, 5)};
  EXPECT_DOUBLE_EQ(results.best()->observation.objective(), 100.0);
  results.trials.push_back(finalist(98, FinalPlace::none, 6));
  EXPECT_DOUBLE_EQ(results.best()->observation.objective(), 98.0);
}

// Older journals give the default configuration no place in the final. Here it took part, and was faster than the
// winner.
TEST(ResultSet, WhatRanBesideTheWinnerWithoutAPlaceMayBeBetter) {
  ResultSet results;
  results.trials = {finalist(280, FinalPlace::winner, 5), finalist(272, FinalPlace::none, 5)};
  EXPECT_DOUBLE_EQ(results.best()->observation.objective(), 272.0);
}

TEST(CountingTrials, TheLastOfAConfigurationCountsInThePlaceOfTheFirst) {
  std::vector<Trial> trials = {timed(30), timed(20), timed(10)};
  trials.push_back(trials[0]);
  trials.back().observation.statistics->median = Nanoseconds(40);
  const std::vector<const Trial*> those = counting(trials);
  ASSERT_EQ(those.size(), 3u);
  EXPECT_EQ(those[0], &trials[3]);
  EXPECT_EQ(those[1], &trials[1]);
  keep_counting(trials);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_DOUBLE_EQ(trials[0].observation.objective(), 40.0);
}

// A check in the final may fail a configuration that the search found correct.
TEST(CountingTrials, TheBestIsOneOfThem) {
  ResultSet results;
  results.trials = {timed(10), timed(20), timed(10)};
  results.trials[2].observation.status = Status::correctness;
  EXPECT_EQ(results.best(), &results.trials[1]);
}

TEST(CountingTrials, TextsWithCommasAreToldApart) {
  EXPECT_EQ(counting({trial_of("a,b", "c"), trial_of("a", "b,c"), trial_of(1, "x"), trial_of(1.0, "x")}).size(), 3u);
}

// Values, constraints, default and resource constraints decide which configurations are tried, not what a time means.
TEST(RunInfo, IdentityHoldsDeviceDriverObjectivesAndNamesOfParameters) {
  RunInfo info;
  info.identity = {{"cache mode", "warm"}, {kResourceConstraints, "registers <= 32"}};
  info.device.name = "H100";
  info.device.driver_version = "12.4";
  info.objectives = {{"gflops", true}, {"time", false}};
  info.space_hash = "77";
  info.parameters = {{.name = "tile", .values = {1, 2}}};
  EXPECT_EQ(identity_of(info), (Identity{{"cache mode", "warm"},
                                         {"device", "H100"},
                                         {"driver", "12.4"},
                                         {"objectives", "maximize gflops, minimize time"},
                                         {"tuning parameter tile", "declared"}}));
}

TEST(Observation, TimesThatNoClockTellsAreNotMeasurable) {
  for (const double possible : {0.0, 1.0, 9.2e18}) EXPECT_TRUE(is_measurable(Nanoseconds(possible))) << possible;
  // A clock that went back by 1000 ns, in unsigned 64 bits.
  const auto wrapped = static_cast<double>(std::uint64_t{0} - 1000);
  for (const double impossible : {-1.0, 0x1p63, wrapped, 1e308, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(is_measurable(Nanoseconds(impossible))) << impossible;
}

TEST(Observation, AnObjectiveTakesThePlaceOfTheTime) {
  Observation observation = timed(10).observation;
  observation.objective_value = -3.0;
  EXPECT_DOUBLE_EQ(observation.objective(), -3.0);
}

// An objective that cannot be computed is infinite.
TEST(ResultSet, WhatHasNoObjectiveIsNotTheBest) {
  ResultSet results;
  results.trials = {timed(10), timed(20)};
  results.trials[0].observation.objective_value = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(results.trials[0].observation.has_objective());
  EXPECT_FALSE(gain(results.trials[0].observation, results.trials[1].observation));
  EXPECT_EQ(results.best(), &results.trials[1]);
  results.trials.pop_back();
  EXPECT_EQ(results.best(), nullptr);
}

TEST(Observation, GainIsARatioOfObjectives) {
  Observation fast = timed(10).observation;
  Observation slow = timed(40).observation;
  EXPECT_EQ(gain(fast, slow), 4.0);
  EXPECT_EQ(gain(slow, fast), 0.25);
  // The objectives of two maximised metrics: 6 against 3. The slower configuration is the better one.
  fast.objective_value = -3.0;
  slow.objective_value = -6.0;
  EXPECT_EQ(gain(slow, fast), 2.0);
  slow.objective_value = 6.0;
  EXPECT_FALSE(gain(slow, fast));
}

TEST(Observation, TheGainOverTheDefaultIsThatOfTheFinal) {
  Observation best = timed(10).observation;
  const Observation standard = timed(40).observation;
  EXPECT_EQ(gain_over_default(best, standard), 4.0);
  best.over_default = PairedGain{3.5, 3.4, 3.6};
  EXPECT_EQ(gain_over_default(best, standard), 3.5);
  EXPECT_EQ(gain_over_default(standard, standard), 1.0);
  // The default took part in a final, the other configuration did not: 40 over 20, from the search.
  Observation in_final = timed(50).observation;
  in_final.in_search = SearchFigures{Nanoseconds(40), 40.0};
  EXPECT_EQ(gain_over_default(timed(20).observation, in_final), 2.0);
}

TEST(Observation, WhatTheSearchMeasuredOutlivesTheFinal) {
  Observation observation = timed(10).observation;
  EXPECT_EQ(observation.search_figures(), (SearchFigures{Nanoseconds(10), 10.0}));
  observation.in_search = SearchFigures{Nanoseconds(9), -2.0};
  EXPECT_EQ(observation.search_figures(), (SearchFigures{Nanoseconds(9), -2.0}));
}

TEST(FinalPlace, NamesReadBack) {
  for (const FinalPlace place : {FinalPlace::none, FinalPlace::winner, FinalPlace::tied, FinalPlace::behind})
    EXPECT_EQ(parse_final_place(to_string(place)), place);
  EXPECT_FALSE(parse_final_place("second"));
}

TEST(Status, NamesReadBack) {
  for (const Status status : kAllStatuses) EXPECT_EQ(parse_status(to_string(status)), status);
  EXPECT_FALSE(parse_status("fine"));
}

TEST(ElementType, AcceptsNamesOfCAndT1) {
  EXPECT_EQ(parse_element_type("float"), ElementType::float32);
  EXPECT_EQ(parse_element_type("float64"), ElementType::float64);
  EXPECT_EQ(parse_element_type("half"), ElementType::float16);
  EXPECT_FALSE(parse_element_type("quad"));
  EXPECT_EQ(size_in_bytes(ElementType::float64), 8u);
}

TEST(ElementType, ReadsBackByBothNames) {
  for (int i = 0; i <= static_cast<int>(ElementType::float64); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parse_element_type(to_string(type)), type);
    EXPECT_EQ(parse_element_type(c_name(type)), type);
  }
  EXPECT_EQ(c_name(ElementType::uint64), "ulong");
}

Trial taking(double ns, double joules) {
  Trial trial = timed(ns);
  trial.observation.objective_value = joules;
  return trial;
}

// The limit is 5 % over the fastest. With 100 ns it is 105 ns, and 104 counts. With 98 ns it is 102.9 ns.
TEST(ResultSet, WhatIsTooSlowBesideTheFastestIsNotTheBest) {
  ResultSet results;
  results.info.objectives = {{"energy", false, 0.05}};
  results.trials = {taking(100, 9), taking(104, 7), taking(106, 1)};
  EXPECT_EQ(results.best(), &results.trials[1]);
  results.trials.push_back(taking(98, 8));
  EXPECT_EQ(results.longest_time(), Nanoseconds(98 * 1.05));
  EXPECT_EQ(results.best(), &results.trials[3]);
}

TEST(ResultSet, AWinnerThatIsTooSlowIsNotTheBest) {
  ResultSet results;
  results.info.objectives = {{"energy", false, 0.05}};
  results.trials = {taking(100, 9), taking(106, 1)};
  results.trials[1].observation.final_place = FinalPlace::winner;
  EXPECT_EQ(results.best(), &results.trials[0]);
}

TEST(RunIdentity, HasTheSlowdown) {
  RunInfo info;
  info.objectives = {{"energy", false, 0.05}};
  EXPECT_EQ(identity_of(info)["objectives"], "minimize energy at most 5 % slower");
}

}  // namespace
}  // namespace wattune
