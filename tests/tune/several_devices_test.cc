// Several evaluators on one search: functions that wait for each other, and real ones on fake devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <set>

#include "programs.h"
#include "tune/problem.h"
#include "tune/tuner_fakes.h"
#include "wait.h"
#include "wattune/search/strategy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using Ids = std::vector<ConfigurationId>;
using Function = std::function<Result<Observation>(const Configuration&)>;

class NamedEvaluator : public Evaluator {
 public:
  NamedEvaluator(std::string device, Function function) : device_(std::move(device)), function_(std::move(function)) {}

  void expect(const std::vector<Configuration>& configurations) override {
    expected.emplace_back();
    for (const Configuration& each : configurations) expected.back().push_back(each.id());
  }
  Result<Observation> evaluate(const Configuration& configuration) override {
    ++evaluations;
    return function_(configuration);
  }
  void know_best(const Observation& best) override { known_best = best.objective(); }
  std::string device() const override { return device_; }
  bool holds_contests() const override { return true; }
  Result<Contest> hold_contest(const std::vector<Configuration>& configurations,
                               const measure::ShootOutOptions&) override {
    finals.emplace_back();
    if (lost_in_final) return Error(ErrorCode::device_lost, "gone");
    Contest contest;
    for (const Configuration& each : configurations) {
      finals.back().push_back(each.id());
      contest.observations.push_back(measured(10.0 + static_cast<double>(each.id())));
      contest.rounds.emplace_back();
      for (const Sample& sample : contest.observations.back().samples)
        contest.rounds.back().push_back({sample, contest.observations.back().objective(), {}});
    }
    return contest;
  }

  std::vector<Ids> expected;
  std::vector<Ids> finals;
  std::optional<double> known_best;
  bool lost_in_final = false;
  std::atomic<int> evaluations = 0;

 private:
  const std::string device_;
  const Function function_;
};

class Sink : public TrialSink {
 public:
  Result<void> add(const Trial& trial) override {
    trials.push_back(trial);
    ++count;
    return {};
  }
  std::size_t measured_by(const std::string& device) const {
    return static_cast<std::size_t>(std::ranges::count(trials, device, &Trial::device));
  }
  std::set<ConfigurationId> ids() const {
    std::set<ConfigurationId> ids;
    for (const Trial& trial : trials) ids.insert(trial.configuration.id());
    return ids;
  }
  std::vector<Trial> trials;
  std::atomic<int> count = 0;  // of these, for other threads
};

struct Observer : TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const TuningEvent&) override {}
  void on_device_lost(const std::string& device, const Error&) override { lost.push_back(device); }
  std::vector<std::string> lost;
};

class SeveralDevices : public ::testing::Test {
 protected:
  static space::SearchSpace space_of_ten() {
    std::vector<Value> values;
    for (int i = 0; i < 10; ++i) values.emplace_back(i);
    return space::SearchSpace::build({{"p", values, {}, {}}}, {}).value();
  }

  void add(const std::string& device, Function function) {
    evaluators.push_back(std::make_unique<NamedEvaluator>(device, std::move(function)));
  }
  Result<TuningResult> run() {
    const auto strategy = search::make_strategy("exhaustive", space).value();
    std::vector<Evaluator*> all;
    for (const auto& each : evaluators) all.push_back(each.get());
    return tune(space, *strategy, all, sink, observer, resumed, options);
  }

  const space::SearchSpace space = space_of_ten();
  std::vector<std::unique_ptr<NamedEvaluator>> evaluators;
  std::vector<Trial> resumed;
  TuningOptions options{.shoot_out = {.finalists = 0}};
  Sink sink;
  Observer observer;
};

Observation by_id(const Configuration& configuration) {
  return measured(100.0 + static_cast<double>(configuration.id()));
}

// Each device waits in every evaluation until the other is in one too, so that there are five rounds of two.
TEST_F(SeveralDevices, WorkAtTheSameTimeAndTrialsSayWhichOneItWas) {
  std::barrier both(2);
  for (const char* device : {"cuda:0", "cuda:1"})
    add(device, [&](const Configuration& configuration) -> Result<Observation> {
      both.arrive_and_wait();
      return by_id(configuration);
    });
  const TuningResult result = run().value();
  EXPECT_EQ(result.evaluated, 10u);
  EXPECT_THAT(sink.ids(), SizeIs(10));
  EXPECT_EQ(sink.measured_by("cuda:0"), 5u);
  EXPECT_EQ(sink.measured_by("cuda:1"), 5u);
  EXPECT_EQ(result.devices[1].device, "cuda:1");
  EXPECT_EQ(result.devices[1].evaluated, 5u);
  EXPECT_EQ(result.stop_reason->cause, search::StopCause::whole_space);
  EXPECT_EQ(result.best->configuration.id(), 0u);
}

// The first device finishes its first configuration only after the second has measured all others.
TEST_F(SeveralDevices, AnIdleOneTakesTheNextProposalAndTrialsComeAsTheyEnd) {
  add("slow", [&](const Configuration& configuration) -> Result<Observation> {
    EXPECT_TRUE(test::wait_until([this] { return sink.count >= 9; }));
    return by_id(configuration);
  });
  add("quick", by_id);
  ASSERT_TRUE(run());
  ASSERT_THAT(sink.trials, SizeIs(10));
  EXPECT_EQ(sink.measured_by("quick"), 9u);
  EXPECT_EQ(sink.trials.back().device, "slow");
  EXPECT_EQ(sink.trials.back().configuration.id(), 0u);
}

TEST_F(SeveralDevices, StopAfterExactlyAsManyEvaluationsAsAsked) {
  options.stop.evaluations = 7;
  options.ahead = 4;
  for (const char* device : {"a", "b", "c"}) add(device, by_id);
  EXPECT_EQ(run()->evaluated, 7u);
  EXPECT_THAT(sink.ids(), SizeIs(7));
}

// Configuration 0 is in flight when 1 is handed out.
TEST_F(SeveralDevices, WhatIsInFlightIsStillExpected) {
  options.stop.evaluations = 4;
  options.ahead = 2;
  std::barrier both(2);
  for (const char* device : {"a", "b"})
    add(device, [&](const Configuration& configuration) -> Result<Observation> {
      both.arrive_and_wait();
      return by_id(configuration);
    });
  ASSERT_TRUE(run());
  EXPECT_THAT(evaluators[0]->expected.front(), ElementsAre(0, 1));
  EXPECT_THAT(evaluators[1]->expected.front(), ElementsAre(0, 1, 2));
}

TEST_F(SeveralDevices, CancellingRecordsAllThatIsInFlight) {
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  std::barrier both(2);
  for (const char* device : {"a", "b"})
    add(device, [&](const Configuration& configuration) -> Result<Observation> {
      both.arrive_and_wait();
      cancel = true;
      return by_id(configuration);
    });
  EXPECT_EQ(run()->stop_reason->cause, search::StopCause::cancelled);
  EXPECT_THAT(sink.ids(), UnorderedElementsAre(0, 1));
}

Result<Observation> lose_device(const Configuration&) { return Error(ErrorCode::device_lost, "fell off the bus"); }

TEST_F(SeveralDevices, TheOthersGoOnWhenOneIsLost) {
  add("good", by_id);
  add("fragile", lose_device);
  const TuningResult result = run().value();
  EXPECT_EQ(evaluators[1]->evaluations, 1);
  EXPECT_THAT(observer.lost, ElementsAre("fragile"));
  EXPECT_EQ(result.devices[1].lost.value().code(), ErrorCode::device_lost);
  EXPECT_FALSE(result.devices[0].lost);
  EXPECT_THAT(sink.ids(), SizeIs(10));
  EXPECT_EQ(result.by_status.at(Status::correct), 9u);
  const auto failed = std::ranges::find(sink.trials, std::string("fragile"), &Trial::device);
  ASSERT_NE(failed, sink.trials.end());
  EXPECT_EQ(failed->observation.status, Status::runtime);
  EXPECT_EQ(failed->observation.message, "fragile was lost: fell off the bus");
}

TEST_F(SeveralDevices, LosingAllOfThemIsAnError) {
  add("a", lose_device);
  add("b", lose_device);
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_THAT(sink.trials, SizeIs(2));
}

// A resumed run must not begin with the configuration that lost the device.
TEST_F(SeveralDevices, WhatTheOnlyOneIsLostWithIsRecorded) {
  add("only", lose_device);
  EXPECT_EQ(run().error().code(), ErrorCode::device_lost);
  ASSERT_THAT(sink.trials, SizeIs(1));
  EXPECT_EQ(sink.trials.front().observation.status, Status::runtime);
  EXPECT_EQ(sink.trials.front().observation.message, "only was lost: fell off the bus");
}

TEST_F(SeveralDevices, AnExceptionOfTheOnlyOneIsAnError) {
  add("only", [](const Configuration&) -> Result<Observation> { throw std::runtime_error("no idea"); });
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::internal);
  EXPECT_EQ(result.error().message(), "evaluating a configuration threw no idea");
}

TEST_F(SeveralDevices, AnExceptionEndsTheRunAfterWhatIsInFlight) {
  std::barrier both(2);
  add("a", [&](const Configuration&) -> Result<Observation> {
    both.arrive_and_wait();
    throw 7;
  });
  add("b", [&](const Configuration& configuration) -> Result<Observation> {
    if (configuration.id() == 1) both.arrive_and_wait();
    return by_id(configuration);
  });
  EXPECT_EQ(run().error().code(), ErrorCode::internal);
  EXPECT_TRUE(sink.ids().contains(1));
  EXPECT_FALSE(sink.ids().contains(0));
}

TEST_F(SeveralDevices, AnErrorOfTheSpecEndsTheRunAfterWhatIsInFlight) {
  std::barrier both(2);
  add("a", [&](const Configuration&) -> Result<Observation> {
    both.arrive_and_wait();
    return Error(ErrorCode::mismatch, "the spec lists two arguments");
  });
  add("b", [&](const Configuration& configuration) -> Result<Observation> {
    if (configuration.id() == 1) both.arrive_and_wait();
    return by_id(configuration);
  });
  const auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::mismatch);
  EXPECT_TRUE(sink.ids().contains(1));
  EXPECT_FALSE(sink.ids().contains(0));
}

// A fixture in which device b is slower by half, so that by times alone none of its measurements would be among the
// best.
class WithAFinal : public SeveralDevices {
 protected:
  void SetUp() override {
    options.shoot_out.finalists = 3;
    for (const double slowness : {1.0, 1.5})
      add(slowness > 1.0 ? "b" : "a", [this, slowness](const Configuration& configuration) -> Result<Observation> {
        both.arrive_and_wait();
        return measured(slowness * (100.0 + 10.0 * static_cast<double>(configuration.id())));
      });
  }
  std::barrier<> both{2};
};

TEST_F(WithAFinal, TheBestOfEachMeetOnTheFirstDevice) {
  const TuningResult result = run().value();
  const auto best_of_b = std::ranges::find(sink.trials, std::string("b"), &Trial::device)->configuration.id();
  ASSERT_THAT(evaluators[0]->finals, SizeIs(1));
  EXPECT_THAT(evaluators[1]->finals, SizeIs(0));
  EXPECT_THAT(evaluators[0]->finals.front(), ElementsAre(0, best_of_b));
  EXPECT_EQ(result.best->device, "a");
  EXPECT_EQ(result.best->observation.final_place, FinalPlace::winner);
}

TEST_F(WithAFinal, AnotherDeviceDecidesWhenTheFirstIsLost) {
  evaluators[0]->lost_in_final = true;
  const TuningResult result = run().value();
  EXPECT_THAT(evaluators[1]->finals, SizeIs(1));
  EXPECT_EQ(result.best->device, "b");
  EXPECT_EQ(result.devices[0].lost.value().message(), "gone");
}

// A fixture in which the sensor of b shows 5 % less than that of a, so that by joules alone all of its measurements
// would be the best.
class WithJoules : public SeveralDevices {
 protected:
  void SetUp() override {
    options.shoot_out.finalists = 3;
    for (const double gain : {1.0, 0.95})
      add(gain < 1.0 ? "b" : "a", [this, gain](const Configuration& configuration) -> Result<Observation> {
        both.arrive_and_wait();
        Observation observation = measured(100.0);
        const double joules = gain * (5.0 + 0.01 * static_cast<double>(configuration.id()));
        observation.metrics = {{"energy", joules, "J", 0.001 * joules}};
        observation.objective_value = joules;
        return observation;
      });
  }
  std::barrier<> both{2};
};

TEST_F(WithJoules, OneBoardAloneDecides) {
  const TuningResult result = run().value();
  ASSERT_THAT(evaluators[0]->finals, SizeIs(1));
  EXPECT_THAT(evaluators[1]->finals, SizeIs(0));
  EXPECT_THAT(evaluators[0]->finals.front(), testing::Contains(0)) << "the best of a, though b shows less of its own";
  EXPECT_EQ(result.best->device, "a");
  EXPECT_EQ(result.best->configuration.id(), 0);
}

TEST_F(SeveralDevices, EachGoesOnFromTheBestThatItMeasuredBefore) {
  const auto trial = [this](ConfigurationId id, double time, const std::string& device) {
    return Trial{space.configuration(id), measured(time), {}, device};
  };
  resumed = {trial(0, 50, "a"), trial(1, 40, "a"), trial(2, 30, "b")};
  for (const char* device : {"a", "b", "c"}) add(device, by_id);
  EXPECT_EQ(run()->evaluated, 7u);
  EXPECT_EQ(evaluators[0]->known_best, 40.0);
  EXPECT_EQ(evaluators[1]->known_best, 30.0);
  EXPECT_FALSE(evaluators[2]->known_best);
}

// The space has 3 work-groups times 4 modes, all alike to the compiler of the fake worker.
TEST(SeveralFakeDevices, ShareOnePoolWhichCompilesEveryConfigurationOnce) {
  KernelSpec spec = scale_spec();
  spec.parameters[1] = {"MODE", {"a", "b", "c", "d"}, {}, {}};
  Problem first{spec};
  Problem second{spec};
  backend::WorkerOptions worker;
  worker.executable = test::program("wattune-fake-worker");
  const auto target = first.device.compile_target(first.spec.source).value();
  backend::CompilePool pool({.processes = 2, .worker = worker});
  backend::PooledSource compilers = pool.add(target, first.spec.source);
  for (Problem* problem : {&first, &second})
    problem->start({.check = CheckOutput::never, .compilers = &compilers}).value();

  const auto strategy = search::make_strategy("random", first.space, {.seed = 3}).value();
  Evaluator* const both[] = {first.evaluator.get(), second.evaluator.get()};
  Sink sink;
  Observer observer;
  const TuningOptions options{.ahead = 4, .shoot_out = {.finalists = 0}};
  const TuningResult result = tune(first.space, *strategy, both, sink, observer, {}, options).value();

  EXPECT_EQ(result.by_status, (std::map<Status, std::uint64_t>{{Status::correct, 12}}));
  EXPECT_EQ(compilers.activity().compiled, 12u);
  EXPECT_EQ(first.device.counters().loads + second.device.counters().loads, 12);
  ASSERT_TRUE(result.pipeline);
  EXPECT_THAT(result.pipeline->devices_busy, SizeIs(2));
  EXPECT_THAT(result.pipeline->devices_busy, Each(testing::Gt(Nanoseconds(0))));
  first.evaluator.reset();  // before the pool
  second.evaluator.reset();
}

}  // namespace
}  // namespace wattune::tune
