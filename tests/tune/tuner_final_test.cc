// The end of a run: the final, with the default configuration in it.
#include <gmock/gmock.h>

#include "tune/tuner_fixture.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;

// Returns an observation with samples of 20 rounds.
Observation twenty_rounds_of(double time) {
  Observation observation = correct(time);
  observation.samples.assign(20, {Nanoseconds(time)});
  return observation;
}

// The times of known_times are 50, 40, -, 45, 30, with intervals from 0, so that none can be told from the best.
TEST_F(Tuner, TheFinalDecidesBetweenThoseThatTheSearchCannotTellApart) {
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 3 ? 28 : 31); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(4, 1, 3, 0)));
  EXPECT_EQ(result->best->configuration.id(), 3u);
  EXPECT_EQ(result->best->observation.final_place, FinalPlace::winner);
  EXPECT_TRUE(result->ties.empty());
  ASSERT_EQ(sink.trials.size(), 9u);  // five of the search, four finalists
  EXPECT_EQ(sink.trials[7].configuration.id(), 3u);
  EXPECT_EQ(sink.trials[8].observation.final_place, FinalPlace::behind);
  for (std::size_t i = 5; i < 9; ++i) EXPECT_EQ(sink.trials[i].finished_at, sink.trials[8].finished_at) << i;
}

// A block has twelve rounds of two runs each: 720 ns for a finalist of 30 ns.
TEST_F(Tuner, FewerFinalistsAreCalledWhenTheirTimesWouldNotFit) {
  final = [](const Configuration&) { return twenty_rounds_of(30); };
  options.shoot_out.max_time = Nanoseconds(3 * 720);
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1, 3));
  options.shoot_out.max_time = Nanoseconds(1);
  sink.trials.clear();
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1));
}

// A block has twelve turns of 60 ns and a window of a second: 12 s for each finalist. Two are called though they take
// more than 20 s.
TEST_F(Tuner, WindowsOfEnergyAreAPartOfWhatAFinalTakes) {
  final = [](const Configuration&) { return twenty_rounds_of(30); };
  beside_runs = nanoseconds_from_seconds(1);
  options.shoot_out.max_time = nanoseconds_from_seconds(20);
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1));
  options.shoot_out.max_time = nanoseconds_from_seconds(37);
  sink.trials.clear();
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1, 3));
}

TEST_F(Tuner, AFinalThatIsCancelledDecidesNothing) {
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  cancel_in_final = &cancel;
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop_reason->cause, search::StopCause::cancelled);
  EXPECT_EQ(result->best->configuration.id(), 4u);
  EXPECT_EQ(sink.trials.size(), 5u);
}

// An evaluator whose clock advances by a second at each evaluation and each time that the final asks whether it is
// over.
class SecondsEvaluator : public FunctionEvaluator {
 public:
  SecondsEvaluator() : FunctionEvaluator(known_times) {}
  Result<Observation> evaluate(const Configuration& configuration) override {
    seconds += 1;
    return FunctionEvaluator::evaluate(configuration);
  }
  Nanoseconds now() const override { return nanoseconds_from_seconds(seconds); }
  bool holds_contests() const override { return true; }
  Result<Contest> hold_contest(const std::vector<Configuration>&, const measure::ShootOutOptions& options) override {
    for (asked = 1; !options.is_over(); ++asked) seconds += 1;
    return Contest();
  }
  double seconds = 100;
  int asked = 0;
};

TEST_F(Tuner, TheTimeEndsTheFinalToo) {
  SecondsEvaluator evaluator;
  options.stop.time = nanoseconds_from_seconds(3);
  strategy = std::make_unique<ListStrategy>(space, std::vector<ConfigurationId>{0, 1, 2, 3, 4});
  const auto result = tune(space, *strategy, evaluator, sink, observer, {}, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(sink.trials.size(), 3u);
  EXPECT_EQ(evaluator.asked, 3);  // at 3, 4 and 5 seconds
  EXPECT_EQ(result->stop_reason->text, "3 s passed, which left no time to compare the best in turns");
  EXPECT_EQ(result->best->configuration.id(), 1u);
}

// Each turn of the final measures a window of a second. Half of 80 s are 40 turns: thirteen rounds of three, of which a
// block takes twelve, 36 s. Without a time, everything stays as it is.
TEST_F(Tuner, AFinalByEnergyHasAPartOfTheTime) {
  SecondsEvaluator evaluator;
  evaluator.beside_runs = nanoseconds_from_seconds(1);
  options.stop.time = nanoseconds_from_seconds(80);
  options.spent = nanoseconds_from_seconds(42);
  strategy = std::make_unique<ListStrategy>(space, std::vector<ConfigurationId>{0, 1, 2, 3, 4});
  const auto result = tune(space, *strategy, evaluator, sink, observer, {}, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(sink.trials.size(), 2u);  // until 44 s
  EXPECT_EQ(evaluator.asked, 39);     // at 44 to 82 s
  EXPECT_EQ(result->stop_reason->text,
            "44 s passed, which left no time to compare the best in turns; 36 of the 80 s were kept for the final");
}

// The least final takes twenty-one windows of a second: more than half of 35 s.
TEST_F(Tuner, TooShortATimeForAFinalByEnergyLeavesAllToTheSearch) {
  SecondsEvaluator evaluator;
  evaluator.beside_runs = nanoseconds_from_seconds(1);
  options.stop.time = nanoseconds_from_seconds(35);
  options.spent = nanoseconds_from_seconds(32);
  strategy = std::make_unique<ListStrategy>(space, std::vector<ConfigurationId>{0, 1, 2, 3, 4});
  const auto result = tune(space, *strategy, evaluator, sink, observer, {}, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(sink.trials.size(), 3u);
  EXPECT_EQ(evaluator.asked, 0);
  EXPECT_EQ(result->stop_reason->text, "35 s passed; no final, which takes 21 s or more where energy decides");
}

TEST_F(Tuner, ATimeWithoutRoomForAWindowSaysHowLongOneTakes) {
  SecondsEvaluator evaluator;
  evaluator.beside_runs = nanoseconds_from_seconds(5);
  options.stop.time = nanoseconds_from_seconds(4);
  options.spent = nanoseconds_from_seconds(4);
  strategy = std::make_unique<ListStrategy>(space, std::vector<ConfigurationId>{0, 1});
  const auto result = tune(space, *strategy, evaluator, sink, observer, {}, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(sink.trials.empty());
  EXPECT_EQ(result->stop_reason->text,
            "4 s passed; a window of energy takes 5 s after its warm-up, and a final 105 s or more");
}

TEST_F(Tuner, WhatOpeningTookIsAPartOfTheTime) {
  SecondsEvaluator evaluator;
  options.stop.time = nanoseconds_from_seconds(3);
  options.spent = nanoseconds_from_seconds(2);
  strategy = std::make_unique<ListStrategy>(space, std::vector<ConfigurationId>{0, 1, 2, 3, 4});
  const auto result = tune(space, *strategy, evaluator, sink, observer, {}, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(sink.trials.size(), 1u);
  EXPECT_EQ(result->elapsed, nanoseconds_from_seconds(3));
}

TEST_F(Tuner, FinalistsThatCannotBeToldFromTheWinnerAreTies) {
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() < 2 ? 31 : 30); };
  const auto result = run({0, 1, 3, 4});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->ties.size(), 1u);
  EXPECT_EQ(result->best->observation.objective(), 30.0);
  EXPECT_EQ(result->ties.front().observation.objective(), 30.0);
  EXPECT_EQ(result->ties.front().observation.final_place, FinalPlace::tied);
}

TEST_F(Tuner, AFinalistThatFailsIsRecordedAndDropped) {
  final = [](const Configuration& configuration) {
    return configuration.id() == 4 ? failed(Status::correctness) : twenty_rounds_of(40);
  };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best->configuration.id(), 1u);
  EXPECT_EQ(result->by_status.at(Status::correctness), 1u);
  EXPECT_EQ(result->by_status.at(Status::correct), 3u);
}

// All finalists of a first final fail; the next ones are called.
TEST_F(Tuner, WhenEveryFinalistFailsTheNextOnesAreCalled) {
  options.shoot_out.finalists = 2;
  final = [](const Configuration& configuration) {
    return configuration.id() == 4 || configuration.id() == 1 ? failed(Status::correctness) : twenty_rounds_of(45);
  };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(4, 1), ElementsAre(3, 0)));
  EXPECT_EQ(result->best->configuration.id(), 3u);
}

TEST_F(Tuner, NoWinnerIsReportedWhenAllFail) {
  final = [](const Configuration&) { return failed(Status::correctness); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->best);
}

TEST_F(Tuner, AnotherObjectiveThanTimeHasAFinalToo) {
  // The rate is ten times the id; the final finds out that 3 is better than 4.
  const auto rate_of = [](double rate) {
    Observation observation = twenty_rounds_of(100);
    observation.objective_value = -rate;
    return observation;
  };
  evaluate = [&](const Configuration& configuration) -> Result<Observation> {
    return rate_of(configuration.id() < 3 ? 10.0 * static_cast<double>(configuration.id()) : 40.0);
  };
  final = [&](const Configuration& configuration) { return rate_of(configuration.id() == 3 ? 44 : 22); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(3, 4, 2)));  // 2 is the default
  EXPECT_EQ(result->best->configuration.id(), 3u);
  EXPECT_DOUBLE_EQ(result->best->observation.over_default->median, 2.0);
}

// Returns times without overlap, so that one finalist is left; the default, 2, takes 50.
Result<Observation> clear_times(const Configuration& configuration) {
  const double time = configuration.id() == 2 ? 50.0 : 10.0 + 10.0 * static_cast<double>(configuration.id());
  Observation observation = twenty_rounds_of(time);
  observation.statistics->interval_low = observation.statistics->interval_high = Nanoseconds(time);
  return observation;
}

TEST_F(Tuner, TheDefaultTakesPartSoThatTheSpeedUpIsPaired) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 2 ? 33 : 11); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0, 2)));
  EXPECT_DOUBLE_EQ(result->best->observation.over_default->median, 3.0);
  EXPECT_EQ(result->baseline->observation.objective(), 33.0);
  EXPECT_EQ(result->baseline->observation.final_place, FinalPlace::behind);
  EXPECT_FALSE(result->baseline->observation.over_default);
  EXPECT_EQ(result->best->observation.final_place, FinalPlace::winner);
}

TEST_F(Tuner, TheDefaultWinsWhenItIsTheBest) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 2 ? 5 : 10); };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 2u);
  EXPECT_EQ(result->best->observation, result->baseline->observation);
  EXPECT_TRUE(result->ties.empty());
  EXPECT_DOUBLE_EQ(sink.trials[5].observation.over_default->median, 0.5);
}

// The objective is joules: the default, 2, takes the longest and the least energy.
TEST_F(Tuner, TheDefaultWinsByEnergyToo) {
  const auto with_energy = [](const Configuration& configuration, double of_default) {
    Observation observation = clear_times(configuration).value();
    observation.objective_value = configuration.id() == 2 ? of_default : 1.0 + static_cast<double>(configuration.id());
    return observation;
  };
  evaluate = [&](const Configuration& configuration) -> Result<Observation> { return with_energy(configuration, 5.0); };
  final = [&](const Configuration& configuration) { return with_energy(configuration, 0.5); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best->configuration.id(), 2u);
  EXPECT_FALSE(result->best->observation.over_default);
  EXPECT_DOUBLE_EQ(sink.trials[5].observation.over_default->median, 0.5);
}

TEST_F(Tuner, ADefaultThatFailedInTheSearchTakesNoPartInTheFinal) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    return configuration.id() == 2 ? failed(Status::correctness) : correct(30);
  };
  final = [](const Configuration&) { return twenty_rounds_of(20); };
  const auto result = run({1, 2, 3});
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(1, 3)));
  EXPECT_FALSE(result->best->observation.over_default);
}

TEST_F(Tuner, TheDefaultWinsWhenNothingIsBetter) {
  evaluate = clear_times;
  final = [](const Configuration&) { return twenty_rounds_of(10); };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 2u);
  ASSERT_EQ(result->ties.size(), 1u);
  EXPECT_EQ(result->ties.front().configuration.id(), 0u);
}

TEST_F(Tuner, ADefaultThatIsAFinalistIsPairedWithTheWinner) {
  evaluate = [](const Configuration&) -> Result<Observation> { return correct(30); };
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 2 ? 40 : 20); };
  const auto result = run({1, 2});
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(1, 2)));
  EXPECT_DOUBLE_EQ(result->best->observation.over_default->median, 2.0);
}

// The search measures each configuration in a round of its own, which does not compare with the final's.
TEST_F(Tuner, KeepsWhatTheSearchMeasured) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 2 ? 33 : 11); };
  const auto result = run();
  EXPECT_EQ(result->best->observation.in_search, (SearchFigures{Nanoseconds(10), 10.0}));
  EXPECT_EQ(result->baseline->observation.in_search, (SearchFigures{Nanoseconds(50), 50.0}));
  resumed = {*result->best, *result->baseline};
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 2 ? 34 : 12); };
  EXPECT_EQ(run({})->best->observation.in_search, (SearchFigures{Nanoseconds(10), 10.0}));
}

// 0 took 10 in the search and 40 in the final that it won; 1 takes 20 in the search.
TEST_F(Tuner, WhatAnEarlierFinalMeasuredDoesNotCompareWithTheSearch) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return twenty_rounds_of(configuration.id() == 0 ? 30 : 60); };
  Observation winner = clear_times(space.configuration(3)).value();  // 40, exactly
  winner.in_search = SearchFigures{Nanoseconds(10), 10.0};
  resumed = {trial(0, winner)};
  const auto result = run({1, 2});
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0, 2)));
  EXPECT_EQ(result->best->configuration.id(), 0u);
  EXPECT_THAT(observer.best, ElementsAre(40, 40));
}

// All runs are so long that no block fits into the final's time. Two finalists take part all the same, and the default,
// which is as good as the second of them.
TEST_F(Tuner, ADefaultThatMayWinTakesPartHoweverLongItRuns) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    return twenty_rounds_of(configuration.id() == 2 ? 3.5e9 : 3e9);
  };
  final = [](const Configuration&) { return twenty_rounds_of(3e9); };
  const auto result = run();
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_EQ(result->best->configuration.id(), 2u);
}

// 24 runs of half a second are more than the final's ten seconds.
TEST_F(Tuner, ADefaultThatIsTooSlowTakesNoPart) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    Observation observation = clear_times(configuration).value();
    if (configuration.id() == 2) observation.statistics->median = nanoseconds_from_ms(500);
    return observation;
  };
  final = [](const Configuration&) { return twenty_rounds_of(10); };
  const auto result = run();
  EXPECT_TRUE(contestants.empty());
  EXPECT_FALSE(result->best->observation.over_default);
  EXPECT_EQ(result->best->configuration.id(), 0u);
}

TEST_F(Tuner, AFinalIsAnnouncedWhereSeveralRun) {
  final = [](const Configuration&) { return twenty_rounds_of(10); };
  evaluate = clear_times;
  ASSERT_TRUE(run());
  EXPECT_THAT(observer.finals, ElementsAre(2));
  resumed = {trial(0, twenty_rounds_of(10))};  // alone, to be checked and measured again
  ASSERT_TRUE(run({}));
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0)));
  final = nullptr;  // a replay
  ASSERT_TRUE(run({1, 2}));
  EXPECT_THAT(observer.finals, ElementsAre(2));
}

TEST_F(Tuner, ADefaultThatFailsInTheFinalCostsOnlyThePairing) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) {
    return configuration.id() == 2 ? failed(Status::runtime) : twenty_rounds_of(10);
  };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 0u);
  EXPECT_FALSE(result->best->observation.over_default);
  EXPECT_EQ(result->baseline->observation.status, Status::runtime);
}

// The ids have the times 50, 40, failure, 45, 30, and the energy 9 - id. The fastest is 4; 60 % more than its time are
// 48 ns, so that 1, 3 and 4 count. 3 takes less energy than 1, and 4 the least.
TEST_F(Tuner, TheAnswerIsNoSlowerThanIsAllowed) {
  static constexpr double kJoules[] = {1, 2, 0, 3, 9};
  evaluate = [](const Configuration& configuration) {
    auto observation = known_times(configuration);
    observation->objective_value = kJoules[static_cast<std::size_t>(configuration.id())];
    return observation;
  };
  options.slowdown = 0.6;
  const auto result = run({0, 3, 4, 1});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best->configuration.id(), 1u);
  // 0 is the best until 4 is found. Beside 4, 0 is too slow and 3 is not.
  EXPECT_THAT(observer.best, ElementsAre(1, 1, 3, 2));
}

// In the final 1 takes 49 ns, more than 60 % above the 30 ns of the fastest, which runs beside it. 3 is next.
TEST_F(Tuner, AFinalistThatIsTooSlowDoesNotWin) {
  static constexpr double kJoules[] = {1, 2, 0, 3, 9};
  const auto with_energy = [](const Configuration& configuration, Observation observation) {
    observation.objective_value = kJoules[static_cast<std::size_t>(configuration.id())];
    return observation;
  };
  evaluate = [=](const Configuration& configuration) -> Result<Observation> {
    auto observation = known_times(configuration);
    return with_energy(configuration, *observation);
  };
  final = [=](const Configuration& configuration) {
    const double time = configuration.id() == 1 ? 49 : configuration.id() == 3 ? 45 : 30;
    return with_energy(configuration, twenty_rounds_of(time));
  };
  options.slowdown = 0.6;
  const auto result = run({0, 3, 4, 1});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->best->configuration.id(), 3u);
  EXPECT_THAT(contestants.front(), testing::Contains(4));
  EXPECT_LE(result->best->observation.statistics->median, Nanoseconds(48));
}

}  // namespace
}  // namespace wattune::tune
