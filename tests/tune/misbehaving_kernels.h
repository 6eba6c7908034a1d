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

// Kernels that hang have short limits behind the first, which works. A busy machine tries them again, with the first
// limits. All others have so long ones that nothing is taken for a hang.
inline const Limits kForHangs{.compile = nanoseconds_from_seconds(60),
                              .run = nanoseconds_from_seconds(10),
                              .compile_floor = nanoseconds_from_seconds(1),
                              .run_floor = nanoseconds_from_seconds(0.3)};
inline const Limits kForOthers{.run = nanoseconds_from_seconds(60), .run_floor = nanoseconds_from_seconds(60)};

inline std::vector<Trial> tune_all(const KernelSpec& spec, backend::Device& device, const Limits& limits) {
  const space::SearchSpace space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
  const auto policy = measure::make_repeated_runs({});
  const auto evaluator = make_evaluator(spec, space, device, *policy, {.limits = limits});
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

// Returns the expectations of kernels that hang, or of all others; those of mode 0, which works, in either case.
inline Expectations only(const Expectations& expectations, bool hang) {
  Expectations some;
  for (const auto& [mode, expectation] : expectations)
    if (mode == 0 || (expectation.status == Status::timeout) == hang) some.emplace(mode, expectation);
  return some;
}

inline std::vector<Value> modes_of(const Expectations& expectations) {
  std::vector<Value> modes;
  for (const auto& [mode, expectation] : expectations) modes.emplace_back(mode);
  return modes;
}

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
