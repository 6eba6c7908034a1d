#include "wattune/tune/search.h"

#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <set>
#include <vector>

#include "tune/tuner_fixture.h"
#include "wait.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::ElementsAre;

using Ids = std::vector<ConfigurationId>;

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

// A configuration that exceeds the device's limits was not measured.
TEST_F(Tuner, SkipsWhatTheDeviceCannotRunWithoutCountingIt) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    return configuration.id() < 2 ? failed(Status::constraints) : known_times(configuration);
  };
  options.stop.evaluations = 2;
  const auto result = run();
  EXPECT_EQ(result->evaluated, 2u);
  EXPECT_EQ(result->skipped, 2u);
  EXPECT_EQ(result->stop_reason->cause, search::StopCause::evaluations);
  EXPECT_EQ(result->best->configuration.id(), 3u);
  EXPECT_EQ(result->by_status.at(Status::constraints), 2u);
  EXPECT_EQ(sink.trials.size(), 4u);
}

TEST_F(Tuner, SkippingAllEndsTheSearch) {
  evaluate = [](const Configuration&) -> Result<Observation> { return failed(Status::constraints); };
  options.stop.evaluations = 2;
  const auto result = run();
  EXPECT_EQ(result->skipped, 5u);
  EXPECT_EQ(result->evaluated, 0u);
  EXPECT_EQ(result->stop_reason->cause, search::StopCause::whole_space);
}

// The configuration is correct, but its objective cannot be compared.
TEST_F(Tuner, WhatHasNoObjectiveCannotWin) {
  evaluate = [](const Configuration& configuration) {
    Result<Observation> observation = known_times(configuration);
    const bool lacks = configuration.id() == 4;
    observation->objective_value = lacks ? std::numeric_limits<double>::infinity() : 1.0;
    if (lacks) observation->lacking = "no value";
    return observation;
  };
  const auto result = run();
  EXPECT_NE(result->best->configuration.id(), 4u);
  EXPECT_EQ(result->lacking, 1u);
  EXPECT_EQ(result->why_lacking, "no value");
  EXPECT_EQ(result->by_status.at(Status::correct), 4u);
  evaluate = [](const Configuration& configuration) {
    Result<Observation> observation = known_times(configuration);
    observation->objective_value = std::numeric_limits<double>::infinity();
    return observation;
  };
  EXPECT_FALSE(run()->best);
}

// A strategy that learns once for each proposal, and counts that.
class LearningStrategy : public ListStrategy {
 public:
  using ListStrategy::ListStrategy;
  std::function<void()> pending_work() override {
    return [this] { ++lessons; };
  }
  std::atomic<int> lessons = 0;
};

class DeviceLike : public FunctionEvaluator {
 public:
  using FunctionEvaluator::FunctionEvaluator;
  std::optional<Pipeline> pipeline() const override { return Pipeline{{Nanoseconds(0)}, {}}; }
};

// An evaluation that waits for the learning ends, so that both run at the same time.
TEST_F(Tuner, LetsTheStrategyLearnWhileADeviceIsBusy) {
  LearningStrategy learner(space, {0, 1, 2});
  int evaluated = 0;
  DeviceLike device([&](const Configuration& configuration) {
    ++evaluated;
    EXPECT_TRUE(test::wait_until([&] { return learner.lessons >= evaluated; }));
    return known_times(configuration);
  });
  ASSERT_TRUE(tune(space, learner, device, sink, observer, resumed, options));
  EXPECT_EQ(learner.lessons, 3);
}

TEST_F(Tuner, ReplaysLearnWhenTheyAreAsked) {
  LearningStrategy learner(space, {0, 1, 2});
  FunctionEvaluator recording(known_times);
  ASSERT_TRUE(tune(space, learner, recording, sink, observer, resumed, options));
  EXPECT_EQ(learner.lessons, 0);
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
  EXPECT_EQ(run()->stop_reason->cause, search::StopCause::whole_space);
  EXPECT_EQ(run({1, 2})->stop_reason->cause, search::StopCause::no_proposal);
  options.stop.evaluations = 3;
  EXPECT_EQ(run()->stop_reason->text, "3 evaluations done");
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

// The last one counts, as in every other place that reads Trials.
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
  ASSERT_TRUE(run());
  EXPECT_THAT(expected, ElementsAre(Ids{0}, Ids{1}, Ids{2}, Ids{3}, Ids{4}));
  options.ahead = 3;
  ASSERT_TRUE(run({0, 1, 2, 3, 4}));
  EXPECT_THAT(expected, ElementsAre(Ids{0, 1, 2}, Ids{1, 2, 3}, Ids{2, 3, 4}, Ids{3, 4}, Ids{4}));
}

TEST_F(Tuner, AsksNoFurtherThanTheRulesLetItCome) {
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

TEST_F(Tuner, CountsWhoseEnergyWasNotMeasured) {
  evaluate = [](const Configuration& configuration) -> Result<Observation> {
    Observation observation = correct(100);
    observation.objective_value = 1.0 + static_cast<double>(configuration.id());
    if (configuration.id() > 0) observation.metrics = {{"energy_at_least", *observation.objective_value, "J"}};
    return observation;
  };
  EXPECT_EQ(run({0, 1, 2})->left_out, 2u);
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
  EXPECT_EQ(result->stop_reason->cause, search::StopCause::cancelled);
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

}  // namespace
}  // namespace wattune::tune
