// A fixture that tunes a space of five configurations with fakes for everything that takes part.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tune/tuner_fakes.h"

namespace wattune::inline v0_1::tune {

inline space::SearchSpace make_space(int size) {
  std::vector<Value> values;
  for (int i = 0; i < size; ++i) values.emplace_back(i);
  return space::SearchSpace::build({{"p", values, Value(2), {}}}, {}).value();
}

inline Observation correct(double time) {
  Observation observation;
  observation.samples = {{Nanoseconds(time)}};
  observation.statistics = Statistics{};
  observation.statistics->median = Nanoseconds(time);
  return observation;
}

inline Observation failed(Status status) {
  Observation observation;
  observation.status = status;
  return observation;
}

// Returns the times 50, 40, failure, 45, 30 for the ids 0 to 4.
inline Result<Observation> known_times(const Configuration& configuration) {
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
    evaluator.beside_runs = beside_runs;
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
  Nanoseconds beside_runs;  // time of a turn of the final beside its runs
  std::atomic<bool>* cancel_in_final = nullptr;
  std::vector<std::vector<ConfigurationId>> contestants;
  std::vector<std::vector<ConfigurationId>> expected;
  std::optional<Observation> known_best;
  LimitedSink sink;
  Recorder observer;
  std::vector<Trial> resumed;
  TuningOptions options;
};

}  // namespace wattune::tune
