// Tuning of kernels that misbehave as their parameter MODE says, and the outcome that each mode must have.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "wattune/measure/policy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

inline VectorArgument floats(ArgumentAccess access, Fill fill) {
  VectorArgument argument;
  argument.length = {"n", {}};
  argument.access = access;
  argument.fill = std::move(fill);
  return argument;
}

// Returns a spec of y = factor * x for 1,024 numbers by function `scale` of `source`; function `plain` is the
// reference.
inline KernelSpec scaling_spec(Language language, const char* source, const std::string& work_group) {
  KernelSpec spec;
  spec.source.language = language;
  spec.source.function = "scale";
  spec.source.text = source;
  spec.problem_size = {{"n", 1024}};
  spec.geometry.sizes[0] = {"n", {}};
  spec.geometry.work_group[0] = {work_group, {}};
  spec.arguments = {{"y", floats(ArgumentAccess::write_only, FillConstant{}), {}},
                    {"x", floats(ArgumentAccess::read_only, FillUniform{}), {}},
                    {"factor", ScalarArgument{ElementType::float32, {"3", {}}}, {}},
                    {"n", ScalarArgument{ElementType::uint32, {"n", {}}}, {}}};
  ReferenceKernel reference;
  reference.source = spec.source;
  reference.source.function = "plain";
  reference.geometry.sizes[0] = {"n", {}};
  spec.reference = std::move(reference);
  return spec;
}

class VectorSink : public TrialSink {
 public:
  Result<void> add(const Trial& trial) override {
    trials.push_back(trial);
    return {};
  }
  std::vector<Trial> trials;
};

class Silent : public TuningObserver {
 public:
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const TuningEvent&) override {}
};

// Returns limits that follow this machine's speed: an idle one notices a hang soon, and a busy one takes nothing else
// for a hang.
inline EvaluatorOptions short_limits() {
  EvaluatorOptions options;
  options.limits.run = nanoseconds_from_seconds(10);
  return options;
}

inline std::vector<Trial> tune_all(const KernelSpec& spec, backend::Device& device) {
  const space::SearchSpace space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
  const auto policy = measure::make_repeated_runs({});
  const auto evaluator = make_evaluator(spec, space, device, *policy, short_limits());
  EXPECT_TRUE(evaluator) << evaluator.error().to_string();
  if (!evaluator) return {};
  const auto strategy = search::make_strategy("exhaustive", space).value();
  VectorSink sink;
  Silent observer;
  const auto result =
      tune(space, *strategy, **evaluator, sink, observer, {}, {.stop = {}, .shoot_out = {.finalists = 0}});
  EXPECT_TRUE(result) << result.error().to_string();
  return sink.trials;
}

// The status and message that a mode must show.
struct Expectation {
  Status status;
  const char* message;  // part of it
};
using Expectations = std::map<std::int64_t, Expectation>;  // by MODE

inline void expect_statuses(const std::vector<Trial>& trials, const Expectations& expectations) {
  for (const Trial& trial : trials) {
    SCOPED_TRACE(trial.configuration.to_string());
    const Observation& observation = trial.observation;
    const Expectation& expected = expectations.at(trial.configuration.find("MODE")->as_integer());
    EXPECT_EQ(observation.status, expected.status) << observation.message;
    EXPECT_THAT(observation.message, ::testing::HasSubstr(expected.message));
    if (expected.status != Status::correct) continue;
    EXPECT_TRUE(observation.verified);
    EXPECT_GE(observation.samples.size(), 7u);
    EXPECT_GT(observation.objective(), 0.0);
  }
}

}  // namespace wattune::tune
