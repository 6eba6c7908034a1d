#include "wattune/tune/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "wattune/search/strategy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {
namespace {

using testing::HasSubstr;

Observation timed(double nanoseconds, PhaseTimes phases = {}) {
  Observation observation;
  const Nanoseconds time(nanoseconds);
  observation.statistics = Statistics{time, time, time, time, time, {}};
  observation.samples = {{time}, {time}};
  observation.phases = phases;
  return observation;
}

Observation broken(Nanoseconds compile) {
  Observation observation;
  observation.status = Status::compile;
  observation.message = "no";
  observation.phases.compile = compile;
  return observation;
}

// Returns the results of blocks 8 and 16 with unroll 1, and of 16 with unroll 2, which failed; 8 with 2 is not
// recorded. They cost 3 + 2 * 10 ns, 4 + 2 * 20 ns and 500 ns.
ResultSet three_of_four() {
  ResultSet results;
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"block", "unroll"});
  results.info.kernel_name = "scale";
  results.info.device.name = "Old GPU";
  results.info.parameters = {{"block", {8, 16}, {}, {}}, {"unroll", {1, 2}, {}, {}}};
  const auto add = [&](int block, int unroll, Observation observation) {
    results.trials.push_back(
        {Configuration(results.trials.size(), names, {block, unroll}), std::move(observation), {}});
  };
  add(8, 1, timed(10, {Nanoseconds(1), Nanoseconds(2), Nanoseconds(77), Nanoseconds(0)}));
  add(16, 1, timed(20, {Nanoseconds(1), Nanoseconds(2), Nanoseconds(77), Nanoseconds(1)}));
  add(16, 2, broken(Nanoseconds(500)));
  return results;
}

space::SearchSpace whole_space() {
  return space::SearchSpace::build({{"block", {8, 16}, {}, {}}, {"unroll", {1, 2}, {}, {}}}, {}).value();
}

ConfigurationId id_of(const space::SearchSpace& space, int block, int unroll) {
  const std::vector<std::pair<std::string, Value>> values{{"block", block}, {"unroll", unroll}};
  return space.find(values).value();
}

struct ReplayOfThree {
  explicit ReplayOfThree(ReplayClock clock = ReplayClock::recorded)
      : recording(Recording::match(space, three_of_four()).value()),
        evaluator(make_replay_evaluator(recording, clock)) {}

  Observation evaluate(int block, int unroll) {
    return evaluator->evaluate(space.configuration(id_of(space, block, unroll))).value();
  }

  space::SearchSpace space = whole_space();
  Recording recording;
  std::unique_ptr<Evaluator> evaluator;
};

struct KeptTrials : TrialSink {
  Result<void> add(const Trial& trial) override {
    trials.push_back(trial);
    return {};
  }
  std::vector<Trial> trials;
};

struct Times : TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const TuningEvent& event) override { times.push_back(event.progress.elapsed.value()); }
  std::vector<double> times;
};

// The speed is 1 / time for 10 and 20 ns; watts were recorded.
TEST(Recording, ComputesWhatASpecWants) {
  ResultSet results = three_of_four();
  results.trials[0].observation.metrics = {{"watts", 50.0, "W"}};
  results.trials[1].observation.metrics = {{"watts", 20.0, "W"}, {"speed", 3.0, ""}};
  const Recording recording = Recording::match(whole_space(), std::move(results)).value();
  KernelSpec spec;
  spec.parameters = whole_space().parameters();
  spec.metrics = {{"speed", {"1e-9 / time", {}}}, {"joules", {"watts * time", {}}}};
  spec.objectives = {{"speed", true}};
  const Recording fast = recording.with_objectives(spec).value();
  ASSERT_EQ(fast.trials().size(), 3u);
  EXPECT_NEAR(fast.trials()[0].observation.objective(), -0.1, 1e-9);
  EXPECT_NEAR(fast.trials()[1].observation.objective(), -0.05, 1e-9);
  EXPECT_EQ(fast.trials()[1].observation.metrics.size(), 3u);  // the recorded speed gave way
  spec.objectives = {{"watts", false}};
  EXPECT_EQ(recording.with_objectives(spec)->trials()[1].observation.objective(), 20.0);
  spec.objectives = {};
  EXPECT_EQ(fast.with_objectives(spec)->trials()[0].observation.objective(), 10.0);
}

TEST(Recording, SaysWhenAnObjectiveWasNotRecorded) {
  const Recording recording = Recording::match(whole_space(), three_of_four()).value();
  KernelSpec spec;
  spec.parameters = whole_space().parameters();
  spec.objectives = {{"registers", false}};
  const Result<Recording> without = recording.with_objectives(spec);
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().to_string(), HasSubstr("registers"));
}

TEST(Replay, AnswersWithWhatWasRecorded) {
  ReplayOfThree replay;
  EXPECT_EQ(replay.evaluate(8, 1), three_of_four().trials[0].observation);
  EXPECT_EQ(replay.evaluate(16, 2), three_of_four().trials[2].observation);
}

// The winner of the recorded run's end ran among other configurations than a replay asks for.
TEST(Replay, ForeseesWhatWasRecorded) {
  ReplayOfThree replay;
  const auto at = [&](int block, int unroll) { return replay.space.configuration(id_of(replay.space, block, unroll)); };
  const auto foreseen = replay.evaluator->foresee({at(8, 1), at(16, 2), at(8, 2)}, 3);
  EXPECT_TRUE(foreseen.at(0)->runs);
  EXPECT_FALSE(foreseen.at(1)->runs);
  EXPECT_FALSE(foreseen.at(2));
  EXPECT_EQ(replay.evaluator->now(), Nanoseconds(0));
}

TEST(Replay, HasNoWinnerOfItsOwn) {
  ResultSet results = three_of_four();
  results.trials[1].observation.final_place = FinalPlace::winner;
  results.trials[1].observation.over_default = PairedGain{2.0, 1.9, 2.1};
  results.trials[1].observation.in_search = SearchFigures{Nanoseconds(15), 15.0};
  const space::SearchSpace space = whole_space();
  const Recording recording = Recording::match(space, std::move(results)).value();
  const auto evaluator = make_replay_evaluator(recording, ReplayClock::recorded);
  const Observation answer = evaluator->evaluate(space.configuration(id_of(space, 16, 1))).value();
  EXPECT_EQ(answer.final_place, FinalPlace::none);
  EXPECT_FALSE(answer.over_default);
  EXPECT_EQ(answer.objective(), 15.0);  // as the search measured it, as all others
  EXPECT_FALSE(answer.in_search);
}

TEST(Replay, ClockAdvancesByTheRecordedCost) {
  ReplayOfThree replay;
  const Nanoseconds start = replay.evaluator->now();
  replay.evaluate(8, 1);  // 1 + 2 + 2 runs of 10 ns; not the 77 ns of the measuring phase
  EXPECT_EQ(replay.evaluator->now() - start, Nanoseconds(23));
  replay.evaluate(16, 1);  // 1 + 2 + 1 + 2 runs of 20 ns
  EXPECT_EQ(replay.evaluator->now() - start, Nanoseconds(67));
  replay.evaluate(16, 2);
  EXPECT_EQ(replay.evaluator->now() - start, Nanoseconds(567));
}

TEST(Replay, WhatIsNotRecordedIsAFailureOfItsOwnKind) {
  ReplayOfThree replay;
  const Observation observation = replay.evaluate(8, 2);
  EXPECT_EQ(observation.status, Status::not_recorded);
  EXPECT_FALSE(observation.ok());
  EXPECT_FALSE(observation.statistics);
  EXPECT_EQ(observation.message, "the recording has no such configuration");
  // The cost charged is the median of 23, 44 and 500 ns, so that a limit of time is always reached.
  EXPECT_EQ(replay.evaluator->now(), Nanoseconds(44));
}

TEST(Replay, EvaluationsMayBeTheClock) {
  ReplayOfThree replay(ReplayClock::evaluations);
  replay.evaluate(8, 1);
  replay.evaluate(8, 2);
  EXPECT_EQ(replay.evaluator->now(), nanoseconds_from_seconds(2));
}

TEST(Replay, RulesAboutTimeMeanRecordedTime) {
  ReplayOfThree replay;
  const auto strategy = search::make_strategy("exhaustive", replay.space).value();
  KeptTrials sink;
  Times observer;
  // In the order of ids, (8, 1) costs 23 ns and (8, 2) 44 ns; then 60 ns have passed.
  const TuningOptions options{.stop = {.time = Nanoseconds(60)}};
  const TuningResult result = tune(replay.space, *strategy, *replay.evaluator, sink, observer, {}, options).value();
  EXPECT_EQ(observer.times, (std::vector<double>{23, 67}));
  EXPECT_EQ(result.elapsed, Nanoseconds(67));
  EXPECT_EQ(result.by_status.at(Status::not_recorded), 1u);
  EXPECT_EQ(result.best->observation.objective(), 10.0);
}

TEST(Replay, ResumedTrialsAreNotReplayedAgain) {
  ReplayOfThree replay;
  const auto strategy = search::make_strategy("exhaustive", replay.space).value();
  KeptTrials sink;
  Times observer;
  const std::vector<Trial> before = {replay.recording.trials().front()};
  const TuningResult result = tune(replay.space, *strategy, *replay.evaluator, sink, observer, before, {}).value();
  EXPECT_EQ(result.resumed, 1u);
  EXPECT_EQ(result.evaluated, 3u);
  EXPECT_EQ(result.best->observation.objective(), 10.0);
}

TEST(Recording, MakesASpaceOfWhatWasRecorded) {
  const auto space = recorded_space(three_of_four()).value();
  EXPECT_EQ(space.count(), 3u);
  EXPECT_EQ(Recording::match(space, three_of_four()).value().trials().size(), 3u);
}

TEST(Recording, OfSeveralTrialsOfOneConfigurationTheLastCounts) {
  ResultSet results = three_of_four();
  results.trials.push_back(results.trials[0]);
  results.trials.back().observation = timed(99);
  const auto space = whole_space();
  const Recording recording = Recording::match(space, results).value();
  EXPECT_EQ(recording.trials().size(), 3u);
  EXPECT_EQ(recording.find(id_of(space, 8, 1))->objective(), 99.0);
}

TEST(Recording, ParametersWithOneValueMayBeMissing) {
  const auto with_constant =
      space::SearchSpace::build({{"block", {8, 16}, {}, {}}, {"unroll", {1, 2}, {}, {}}, {"precision", {32}, {}, {}}},
                                {})
          .value();
  EXPECT_EQ(Recording::match(with_constant, three_of_four()).value().trials().size(), 3u);
}

TEST(Recording, CountsWhatIsOutsideTheSpace) {
  const auto small =
      space::SearchSpace::build({{"block", {8, 16}, {}, {}}, {"unroll", {1, 2}, {}, {}}}, {{"block * unroll < 32", {}}})
          .value();
  const Recording recording = Recording::match(small, three_of_four()).value();
  EXPECT_EQ(recording.trials().size(), 2u);
  EXPECT_EQ(recording.outside(), 1u);
}

// Its energy is unknown, but its time is known.
TEST(Recording, WhatWasLeftOutForItsTimeHasNoEnergyButATime) {
  ResultSet results = three_of_four();
  results.trials[0].observation.metrics = {{"energy", 2.0, "J"}};
  results.trials[1].observation.metrics = {{"energy_at_least", 3.0, "J"}};
  results.trials[1].observation.objective_value = 3.0;
  const Recording recording = Recording::match(whole_space(), results).value();
  KernelSpec spec{.parameters = whole_space().parameters()};
  const ConfigurationId left_out = id_of(whole_space(), 16, 1);
  EXPECT_EQ(recording.with_objectives(spec)->find(left_out)->objective(), 20.0);
  for (const char* objective : {"energy", "edp"}) {
    spec.objectives = {{objective, false}};
    const Recording for_energy = recording.with_objectives(spec).value();
    EXPECT_EQ(for_energy.find(left_out)->status, Status::not_recorded);
    EXPECT_TRUE(for_energy.find(id_of(whole_space(), 8, 1))->ok());
  }
}

TEST(Recording, RefusesAnotherSpace) {
  const auto message = [](std::vector<Parameter> parameters, const ResultSet& results = three_of_four()) {
    return Recording::match(space::SearchSpace::build(std::move(parameters), {}).value(), results).error().to_string();
  };
  EXPECT_THAT(message({{"blocks", {8, 16}, {}, {}}, {"unroll", {1, 2}, {}, {}}}),
              HasSubstr("the recording is of another space: it lacks a parameter: `blocks` (did you mean `block`?)"));
  EXPECT_THAT(message({{"block", {8, 16}, {}, {}}}), HasSubstr("it varies a parameter that this one lacks: `unroll`"));
  EXPECT_THAT(message({{"block", {1, 2}, {}, {}}, {"unroll", {1, 2}, {}, {}}}),
              HasSubstr("none of its configurations is in this one: `block=8, unroll=1`"));
  EXPECT_EQ(message({{"block", {1, 2}, {}, {}}}, ResultSet()), "the recording holds no results");
}

TEST(Recording, RefusesTimesThatCannotBe) {
  const auto space = whole_space();
  const auto message = [&](void (*spoil)(Observation&)) {
    ResultSet results = three_of_four();
    spoil(results.trials[1].observation);
    return Recording::match(space, results).error().to_string();
  };
  EXPECT_EQ(message([](Observation& o) { o.samples[0].time = Nanoseconds(-1); }),
            "a recorded time is negative: `block=16, unroll=1`");
  EXPECT_EQ(message([](Observation& o) { o.phases.compile = Nanoseconds(-1); }),
            "a recorded time is negative: `block=16, unroll=1`");
  EXPECT_EQ(
      message([](Observation& o) { o.statistics->median = Nanoseconds(std::numeric_limits<double>::quiet_NaN()); }),
      "a recorded time is no number: `block=16, unroll=1`");
}

TEST(Recording, DropsWhatAnEarlierReplayLacked) {
  ResultSet results = three_of_four();
  results.trials[2].observation.status = Status::not_recorded;
  EXPECT_EQ(Recording::match(whole_space(), results).value().trials().size(), 2u);
}

TEST(ReplayDevice, SaysThatNothingWasMeasured) {
  DeviceInfo gpu;
  gpu.name = "Old GPU";
  gpu.kind = DeviceKind::gpu;
  gpu.driver_version = "1.0";
  const DeviceInfo device = replay_device(gpu, "replay:old.json");
  EXPECT_EQ(device.name, "Old GPU");
  EXPECT_EQ(device.kind, DeviceKind::simulated);
  EXPECT_EQ(device.selector, "replay:old.json");
  EXPECT_NE(device.driver_version, gpu.driver_version);
}

}  // namespace
}  // namespace wattune::tune
