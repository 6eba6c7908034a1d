#include "wattune/tune/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace wattune::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

space::SearchSpace make_space(int size) {
  std::vector<Value> values;
  for (int i = 0; i < size; ++i) values.emplace_back(i);
  return space::SearchSpace::build({{"p", values, Value(2), {}}}, {}).value();
}

Observation correct(double time) {
  Observation observation;
  observation.samples = {{Nanoseconds(time)}};
  observation.statistics = Statistics{};
  observation.statistics->median = Nanoseconds(time);
  return observation;
}

Observation failed(Status status) {
  Observation observation;
  observation.status = status;
  return observation;
}

// Proposes the ids of a list, and remembers what it is told.
class ListStrategy : public search::Strategy {
 public:
  ListStrategy(const space::SearchSpace& space, std::vector<ConfigurationId> ids)
      : Strategy(space, {}), ids_(ids.rbegin(), ids.rend()) {}

  std::vector<std::pair<ConfigurationId, std::optional<double>>> learned;

 protected:
  std::optional<ConfigurationId> do_propose() override {
    while (!ids_.empty() && visited(ids_.back())) ids_.pop_back();
    if (ids_.empty()) return std::nullopt;
    return ids_.back();
  }
  void do_learn(ConfigurationId id, std::optional<double> objective) override { learned.emplace_back(id, objective); }

 private:
  std::vector<ConfigurationId> ids_;
};

class FunctionEvaluator : public Evaluator {
 public:
  explicit FunctionEvaluator(std::function<Result<Observation>(const Configuration&)> function)
      : function_(std::move(function)) {}
  void expect(const std::vector<Configuration>& configurations) override {
    expected.emplace_back();
    for (const Configuration& configuration : configurations) expected.back().push_back(configuration.id());
  }
  Result<Observation> evaluate(const Configuration& configuration) override { return function_(configuration); }
  bool holds_contests() const override { return final || cancel_in_final != nullptr; }
  Result<Contest> hold_contest(const std::vector<Configuration>& configurations,
                               const measure::ShootOutOptions&) override {
    Contest contest;
    if (cancel_in_final != nullptr) *cancel_in_final = true;
    if (!final) return contest;
    contestants.push_back({});
    for (const Configuration& configuration : configurations) {
      contestants.back().push_back(configuration.id());
      contest.observations.push_back(final(configuration));
      const Observation& observation = contest.observations.back();
      contest.rounds.emplace_back();
      if (!observation.ok()) continue;
      for (const Sample& sample : observation.samples)
        contest.rounds.back().push_back({sample, observation.objective(), {}});
    }
    return contest;
  }

  void know_best(const Observation& best) override { known_best = best; }

  std::optional<Observation> known_best;
  std::function<Observation(const Configuration&)> final;  // what a contest shows; empty: it holds none
  std::vector<std::vector<ConfigurationId>> contestants;   // of each contest, the default last where it is no finalist
  std::atomic<bool>* cancel_in_final = nullptr;            // set by hold_contest()
  std::vector<std::vector<ConfigurationId>> expected;      // before each evaluation

 private:
  std::function<Result<Observation>(const Configuration&)> function_;
};

class VectorSink : public TrialSink {
 public:
  Result<void> add(const Trial& trial) override {
    if (trials.size() == room) return Error(ErrorCode::io_error, "disk full");
    trials.push_back(trial);
    return {};
  }
  std::vector<Trial> trials;
  std::size_t room = 1000;
};

class Recorder : public TuningObserver {
 public:
  void on_start(const search::Progress& progress, std::size_t resumed) override {
    started_with = progress;
    resumed_trials = resumed;
  }
  void on_trial(const TuningEvent& event) override {
    improved.push_back(event.improved);
    best.push_back(event.best == nullptr ? -1 : event.best->observation.objective());
    evaluations.push_back(event.progress.evaluations);
    since_improvement.push_back(event.progress.since_improvement);
  }
  void on_final(std::size_t contestants) override { finals.push_back(contestants); }

  search::Progress started_with;
  std::size_t resumed_trials = 0;
  std::vector<bool> improved;
  std::vector<double> best;
  std::vector<std::uint64_t> evaluations;
  std::vector<std::uint64_t> since_improvement;
  std::vector<std::size_t> finals;
};

// Times 50, 40, failure, 45, 30 for the ids 0 to 4.
Result<Observation> known_times(const Configuration& configuration) {
  static constexpr double kTimes[] = {50, 40, 0, 45, 30};
  const auto id = static_cast<std::size_t>(configuration.id());
  return id == 2 ? failed(Status::runtime) : correct(kTimes[id]);
}

class Tuner : public ::testing::Test {
 protected:
  Result<TuningResult> run(std::vector<ConfigurationId> proposals = {0, 1, 2, 3, 4}) {
    strategy = std::make_unique<ListStrategy>(space, std::move(proposals));
    FunctionEvaluator evaluator([this](const Configuration& configuration) { return evaluate(configuration); });
    evaluator.final = final;
    evaluator.cancel_in_final = cancel_in_final;
    auto result = tune(space, *strategy, evaluator, sink, observer, resumed, options);
    contestants = evaluator.contestants;
    expected = evaluator.expected;
    known_best = evaluator.known_best;
    return result;
  }

  Trial trial(ConfigurationId id, Observation observation) {
    return {space.configuration(id), std::move(observation), {}};
  }

  const space::SearchSpace space = make_space(5);
  std::unique_ptr<ListStrategy> strategy;
  std::function<Result<Observation>(const Configuration&)> evaluate = known_times;
  std::function<Observation(const Configuration&)> final;
  std::atomic<bool>* cancel_in_final = nullptr;
  std::vector<std::vector<ConfigurationId>> contestants;
  std::vector<std::vector<ConfigurationId>> expected;
  std::optional<Observation> known_best;
  VectorSink sink;
  Recorder observer;
  std::vector<Trial> resumed;
  TuningOptions options;
};

TEST_F(Tuner, EvaluatesRecordsAndTellsEveryProposal) {
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->evaluated, 5u);
  EXPECT_EQ(result->resumed, 0u);
  EXPECT_EQ(result->best->configuration.id(), 4u);
  EXPECT_EQ(result->best->observation.objective(), 30.0);
  EXPECT_EQ(result->by_status, (std::map<Status, std::uint64_t>{{Status::correct, 4}, {Status::runtime, 1}}));
  EXPECT_EQ(sink.trials.size(), 5u);
  using Learned = std::pair<ConfigurationId, std::optional<double>>;
  EXPECT_THAT(strategy->learned, ElementsAre(Learned{0, 50.0}, Learned{1, 40.0}, Learned{2, std::nullopt},
                                             Learned{3, 45.0}, Learned{4, 30.0}));
}

TEST_F(Tuner, ObserverSeesProgressAndTheBest) {
  ASSERT_TRUE(run());
  EXPECT_EQ(observer.started_with.evaluations, 0u);
  EXPECT_EQ(observer.started_with.space_size, 5u);
  EXPECT_THAT(observer.improved, ElementsAre(true, true, false, false, true));
  EXPECT_THAT(observer.best, ElementsAre(50, 40, 40, 40, 30));
  EXPECT_THAT(observer.evaluations, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(observer.since_improvement, ElementsAre(0, 0, 1, 2, 0));
}

TEST_F(Tuner, NoBestBeforeTheFirstCorrectOne) {
  const auto result = run({2});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->best);
  EXPECT_THAT(observer.best, ElementsAre(-1));
}

TEST_F(Tuner, SaysWhyItStopped) {
  EXPECT_EQ(run()->stop_reason, "every configuration was evaluated");
  EXPECT_EQ(run({1, 2})->stop_reason, "the strategy has nothing left to propose");
  options.stop.evaluations = 3;
  EXPECT_THAT(run()->stop_reason, HasSubstr("3"));
  EXPECT_EQ(run()->evaluated, 3u);
}

TEST_F(Tuner, TheBaselineIsTheDefaultConfiguration) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    return correct(100.0 + static_cast<double>(configuration.id()));
  };
  const auto result = run();
  ASSERT_TRUE(result && result->baseline);
  EXPECT_EQ(result->baseline->configuration.values(), std::vector<Value>{2});
  EXPECT_FALSE(run({0, 1})->baseline);
}

TEST_F(Tuner, ResumedTrialsAreToldFirstAndCount) {
  resumed = {trial(4, correct(30)), trial(2, failed(Status::timeout))};
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->resumed, 2u);
  EXPECT_EQ(result->evaluated, 3u);
  EXPECT_EQ(result->best->configuration.id(), 4u);
  EXPECT_EQ(result->by_status.at(Status::timeout), 1u);
  EXPECT_EQ(result->baseline->observation.status, Status::timeout);
  EXPECT_EQ(strategy->learned[0].first, 4u);
  EXPECT_EQ(sink.trials.size(), 3u);  // resumed ones are there already
  EXPECT_EQ(observer.started_with.evaluations, 2u);
  EXPECT_EQ(observer.resumed_trials, 2u);
}

// As in every other place that reads Trials.
TEST_F(Tuner, TheLastOfSeveralResumedTrialsOfAConfigurationCounts) {
  resumed = {trial(4, correct(30)), trial(2, correct(50)), trial(4, failed(Status::correctness))};
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->resumed, 2u);
  EXPECT_EQ(observer.resumed_trials, 2u);
  EXPECT_EQ(result->by_status.at(Status::correctness), 1u);
  EXPECT_EQ(known_best->objective(), 50.0);
}

TEST_F(Tuner, AsksAheadAndSaysWhatComesNext) {
  using Ids = std::vector<ConfigurationId>;
  ASSERT_TRUE(run());
  EXPECT_THAT(expected, ElementsAre(Ids{0}, Ids{1}, Ids{2}, Ids{3}, Ids{4}));
  options.ahead = 3;
  ASSERT_TRUE(run({0, 1, 2, 3, 4}));
  EXPECT_THAT(expected, ElementsAre(Ids{0, 1, 2}, Ids{1, 2, 3}, Ids{2, 3, 4}, Ids{3, 4}, Ids{4}));
}

TEST_F(Tuner, AsksNoFurtherThanTheRulesLetItCome) {
  using Ids = std::vector<ConfigurationId>;
  options.ahead = 3;
  options.stop.evaluations = 4;
  const auto result = run({0, 1, 2, 3, 4});
  EXPECT_EQ(result->evaluated, 4u);
  EXPECT_THAT(expected, ElementsAre(Ids{0, 1, 2}, Ids{1, 2, 3}, Ids{2, 3}, Ids{3}));
  options.ahead = 0;  // as 1
  EXPECT_EQ(run({0, 1, 2, 3, 4})->evaluated, 4u);
}

TEST_F(Tuner, TheBestOfAnEarlierRunIsWhatLaterOnesAreMeasuredAgainst) {
  ASSERT_TRUE(run());
  EXPECT_FALSE(known_best);
  resumed = {trial(0, correct(50)), trial(4, correct(30)), trial(2, failed(Status::timeout))};
  ASSERT_TRUE(run());
  ASSERT_TRUE(known_best);
  EXPECT_EQ(known_best->objective(), 30.0);
}

TEST_F(Tuner, CountsSamplesThatWereThrottled) {
  evaluate = [](const Configuration&) -> Result<Observation> {
    Observation observation = correct(100);
    observation.samples.push_back({.time = Nanoseconds(110), .throttled = true});
    return observation;
  };
  const auto result = run({0, 1, 2});
  EXPECT_EQ(result->samples, 6u);
  EXPECT_EQ(result->throttled_samples, 3u);
}

TEST_F(Tuner, AFinishedRunStopsAtOnce) {
  options.stop.evaluations = 2;
  resumed = {trial(0, correct(50)), trial(1, correct(40))};
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->evaluated, 0u);
  EXPECT_EQ(result->best->configuration.id(), 1u);
}

TEST_F(Tuner, ATrialIsInTheSinkBeforeTheNextEvaluation) {
  std::size_t evaluated = 0;
  evaluate = [&](const Configuration&) -> Result<Observation> {
    EXPECT_EQ(sink.trials.size(), evaluated++);
    return correct(1);
  };
  ASSERT_TRUE(run());
}

TEST_F(Tuner, CancellingEndsAfterTheEvaluationInFlight) {
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  evaluate = [&](const Configuration& configuration) {
    cancel = configuration.id() == 1;
    return known_times(configuration);
  };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop_reason, "cancelled");
  EXPECT_EQ(result->evaluated, 2u);
  EXPECT_EQ(sink.trials.size(), 2u);
}

TEST_F(Tuner, AnErrorOfTheEvaluatorEndsTheRunAndKeepsWhatWasMeasured) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    if (configuration.id() == 3) return Error(ErrorCode::mismatch, "another kernel");
    return correct(1);
  };
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "another kernel");
  EXPECT_EQ(sink.trials.size(), 3u);
}

TEST_F(Tuner, AnErrorOfTheSinkEndsTheRun) {
  sink.room = 2;
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "disk full");
  EXPECT_EQ(observer.evaluations.size(), 2u);
}

TEST_F(Tuner, BadStopRulesAreRefused) {
  options.stop.fraction = 2.0;
  EXPECT_FALSE(run());
  EXPECT_TRUE(sink.trials.empty());
}

// Samples of 20 rounds.
Observation measured(double time) {
  Observation observation = correct(time);
  observation.samples.assign(20, {Nanoseconds(time)});
  return observation;
}

// The times of known_times are 50, 40, -, 45, 30, with intervals from 0, so that nothing can be told from the best.
TEST_F(Tuner, TheFinalDecidesBetweenThoseThatTheSearchCannotTellApart) {
  final = [](const Configuration& configuration) { return measured(configuration.id() == 3 ? 28 : 31); };
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(4, 1, 3, 0)));
  EXPECT_EQ(result->best->configuration.id(), 3u);
  EXPECT_EQ(result->best->observation.final_place, FinalPlace::winner);
  EXPECT_TRUE(result->ties.empty());
  ASSERT_EQ(sink.trials.size(), 9u);  // five of the search, four finalists
  EXPECT_EQ(sink.trials[7].configuration.id(), 3u);
  EXPECT_EQ(sink.trials[8].observation.final_place, FinalPlace::behind);
}

// Twelve rounds of two runs each: of 30 ns, 720 ns for one finalist.
TEST_F(Tuner, FewerFinalistsAreCalledWhenTheirTimesWouldNotFit) {
  final = [](const Configuration&) { return measured(30); };
  options.shoot_out.max_time = Nanoseconds(3 * 720);
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1, 3));
  options.shoot_out.max_time = Nanoseconds(1);
  sink.trials.clear();
  ASSERT_TRUE(run());
  EXPECT_THAT(contestants.front(), ElementsAre(4, 1));
}

TEST_F(Tuner, AFinalThatIsCancelledDecidesNothing) {
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  cancel_in_final = &cancel;
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stop_reason, "cancelled");
  EXPECT_EQ(result->best->configuration.id(), 4u);
  EXPECT_EQ(sink.trials.size(), 5u);
}

TEST_F(Tuner, FinalistsThatCannotBeToldFromTheWinnerAreTies) {
  final = [](const Configuration& configuration) { return measured(configuration.id() < 2 ? 31 : 30); };
  const auto result = run({0, 1, 3, 4});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->ties.size(), 1u);
  EXPECT_EQ(result->best->observation.objective(), 30.0);
  EXPECT_EQ(result->ties.front().observation.objective(), 30.0);
  EXPECT_EQ(result->ties.front().observation.final_place, FinalPlace::tied);
}

TEST_F(Tuner, AFinalistThatFailsIsRecordedAndDropped) {
  final = [](const Configuration& configuration) {
    return configuration.id() == 4 ? failed(Status::correctness) : measured(40);
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
    return configuration.id() == 4 || configuration.id() == 1 ? failed(Status::correctness) : measured(45);
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

TEST_F(Tuner, AnotherTargetThanTimeHasAFinalToo) {
  // A rate of ten times the id; the final finds out that 3 is better than 4.
  const auto rate_of = [](double rate) {
    Observation observation = measured(100);
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

// Times that nothing is as fast as, so that one finalist is left; the default, 2, takes 50.
Result<Observation> clear_times(const Configuration& configuration) {
  const double time = configuration.id() == 2 ? 50.0 : 10.0 + 10.0 * static_cast<double>(configuration.id());
  Observation observation = measured(time);
  observation.statistics->interval_low = observation.statistics->interval_high = Nanoseconds(time);
  return observation;
}

TEST_F(Tuner, TheDefaultTakesPartSoThatTheSpeedUpIsPaired) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return measured(configuration.id() == 2 ? 33 : 11); };
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
  final = [](const Configuration& configuration) { return measured(configuration.id() == 2 ? 5 : 10); };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 2u);
  EXPECT_EQ(result->best->observation, result->baseline->observation);
  EXPECT_TRUE(result->ties.empty());
  EXPECT_DOUBLE_EQ(sink.trials[5].observation.over_default->median, 0.5);
}

TEST_F(Tuner, TheDefaultWinsWhenNothingIsBetter) {
  evaluate = clear_times;
  final = [](const Configuration&) { return measured(10); };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 2u);
  ASSERT_EQ(result->ties.size(), 1u);
  EXPECT_EQ(result->ties.front().configuration.id(), 0u);
}

TEST_F(Tuner, ADefaultThatIsAFinalistIsPairedWithTheWinner) {
  evaluate = [](const Configuration&) -> Result<Observation> { return correct(30); };
  final = [](const Configuration& configuration) { return measured(configuration.id() == 2 ? 40 : 20); };
  const auto result = run({1, 2});
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(1, 2)));
  EXPECT_DOUBLE_EQ(result->best->observation.over_default->median, 2.0);
}

// A round of its own for each of the search, which the final does not compare with.
TEST_F(Tuner, KeepsWhatTheSearchMeasured) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return measured(configuration.id() == 2 ? 33 : 11); };
  const auto result = run();
  EXPECT_EQ(result->best->observation.in_search, (SearchFigures{Nanoseconds(10), 10.0}));
  EXPECT_EQ(result->baseline->observation.in_search, (SearchFigures{Nanoseconds(50), 50.0}));
  resumed = {*result->best, *result->baseline};
  final = [](const Configuration& configuration) { return measured(configuration.id() == 2 ? 34 : 12); };
  EXPECT_EQ(run({})->best->observation.in_search, (SearchFigures{Nanoseconds(10), 10.0}));
}

// 0 took 10 in the search and 40 in the final that it won; 1 takes 20 in the search.
TEST_F(Tuner, WhatAnEarlierFinalMeasuredDoesNotCompareWithTheSearch) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) { return measured(configuration.id() == 0 ? 30 : 60); };
  Observation winner = clear_times(space.configuration(3)).value();  // 40, exactly
  winner.in_search = SearchFigures{Nanoseconds(10), 10.0};
  resumed = {trial(0, winner)};
  const auto result = run({1, 2});
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0, 2)));
  EXPECT_EQ(result->best->configuration.id(), 0u);
  EXPECT_THAT(observer.best, ElementsAre(40, 40));
}

// All runs are so long that a block of the final's time holds none: two finalists and the default take part all the
// same, which is as good as the second of them.
TEST_F(Tuner, ADefaultThatMayWinTakesPartHoweverLongItRuns) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    return measured(configuration.id() == 2 ? 3.5e9 : 3e9);
  };
  final = [](const Configuration&) { return measured(3e9); };
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
  final = [](const Configuration&) { return measured(10); };
  const auto result = run();
  EXPECT_TRUE(contestants.empty());
  EXPECT_FALSE(result->best->observation.over_default);
  EXPECT_EQ(result->best->configuration.id(), 0u);
}

TEST_F(Tuner, AFinalIsAnnouncedWhereSeveralRun) {
  final = [](const Configuration&) { return measured(10); };
  evaluate = clear_times;
  ASSERT_TRUE(run());
  EXPECT_THAT(observer.finals, ElementsAre(2));
  resumed = {trial(0, measured(10))};  // alone, to be checked and measured again
  ASSERT_TRUE(run({}));
  EXPECT_THAT(contestants, ElementsAre(ElementsAre(0)));
  final = nullptr;  // a replay
  ASSERT_TRUE(run({1, 2}));
  EXPECT_THAT(observer.finals, ElementsAre(2));
}

TEST_F(Tuner, ADefaultThatFailsInTheFinalCostsOnlyThePairing) {
  evaluate = clear_times;
  final = [](const Configuration& configuration) {
    return configuration.id() == 2 ? failed(Status::runtime) : measured(10);
  };
  const auto result = run();
  EXPECT_EQ(result->best->configuration.id(), 0u);
  EXPECT_FALSE(result->best->observation.over_default);
  EXPECT_EQ(result->baseline->observation.status, Status::runtime);
}

}  // namespace
}  // namespace wattune::tune
