#include "tune/evaluate/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/interface/standard_metrics.h"
#include "tune/problem.h"
#include "wattune/tune/observer.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::HasSubstr;

KernelSpec spec_with(std::vector<std::pair<std::string, std::string>> metrics, std::vector<Objective> objectives = {}) {
  KernelSpec spec = scale_spec();
  for (auto& [name, text] : metrics) spec.metrics.push_back({name, at_line(text, 40)});
  spec.objectives = std::move(objectives);
  return spec;
}

// `scale` takes 1000 ns for n = 64.
TEST(Metrics, AreComputedFromTimeParametersAndSizes) {
  Problem problem(spec_with({{"rate", "n / time / 1e6"}, {"per_item", "time * 1e9 / block"}, {"twice", "2 * rate"}}));
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  ASSERT_EQ(observation.metrics.size(), 3u);
  EXPECT_EQ(observation.metrics[0].name, "rate");
  EXPECT_DOUBLE_EQ(observation.metrics[0].value, 64.0);
  EXPECT_DOUBLE_EQ(observation.metrics[1].value, 62.5);
  EXPECT_DOUBLE_EQ(observation.metrics[2].value, 128.0);
  EXPECT_FALSE(observation.objective_value);
  EXPECT_EQ(observation.objective(), 1000.0);
}

TEST(Metrics, TheFirstObjectiveIsTheTarget) {
  Problem problem(spec_with({{"size", "block"}, {"rate", "n / time"}}, {{"size", true}, {"rate", true}}));
  ASSERT_TRUE(problem.start());
  EXPECT_EQ(problem.evaluate(16, 0)->objective(), -16.0);
}

TEST(Metrics, LeastTimeIsNoTarget) {
  Problem problem(spec_with({}, {{"time", false}}));
  ASSERT_TRUE(problem.start());
  EXPECT_FALSE(problem.evaluate(16, 0)->objective_value);
}

// The time is right even without the metric.
TEST(Metrics, OneThatCannotBeComputedIsAbsentAndTheTimeStays) {
  Problem problem(spec_with({{"bad", "1 / (block - 16)"}, {"worse", "bad + 1"}, {"rate", "n / time / 1e6"}}));
  ASSERT_TRUE(problem.start());
  const Observation observation = problem.evaluate(16, 0).value();
  EXPECT_EQ(observation.status, Status::correct);
  EXPECT_EQ(observation.objective(), 1000.0);
  ASSERT_EQ(observation.metrics.size(), 1u);
  EXPECT_EQ(observation.metrics[0].name, "rate");
  EXPECT_THAT(observation.lacking, HasSubstr("`bad` has no value: "));
  EXPECT_THAT(observation.lacking, HasSubstr("division by zero"));
  const Observation good = problem.evaluate(8, 0).value();
  EXPECT_EQ(good.metrics.size(), 3u);
  EXPECT_EQ(good.lacking, "");
}

TEST(Metrics, AnObjectiveThatCannotBeComputedIsNone) {
  for (const bool maximize : {false, true}) {
    Problem problem(spec_with({{"bad", "1 / (block - 16)"}, {"worse", "bad + 1"}}, {{"worse", maximize}}));
    ASSERT_TRUE(problem.start());
    const Observation observation = problem.evaluate(16, 0).value();
    EXPECT_EQ(observation.status, Status::correct);
    EXPECT_FALSE(observation.has_objective());
    EXPECT_GT(observation.objective(), 0.0);  // and never the smallest
    EXPECT_TRUE(problem.evaluate(8, 0)->has_objective());
  }
}

// `time` would be the parameter's value in one place and the time in another.
TEST(Metrics, NoParameterHasTheNameOfAFigure) {
  for (const std::string& name : figure_names()) {
    KernelSpec spec = spec_with({{"rate", "n / time"}});
    spec.parameters.push_back({.name = name, .values = {1, 2}});
    const auto refused = Metrics::compile(spec, spec.parameters, {});
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().to_string(), HasSubstr("a parameter has the name of a metric"));
  }
}

TEST(Metrics, AllThatWattuneMeasuresOrMakesIsAFigure) {
  const auto is_figure = [](std::string_view name) { return std::ranges::count(figure_names(), name) == 1; };
  for (const BoardMetric each : kAllBoardMetrics) EXPECT_TRUE(is_figure(to_string(each))) << to_string(each);
  for (const StandardMetric& each : standard_metrics()) EXPECT_TRUE(is_figure(each.name)) << each.name;
}

// Without one end of its interval the uncertainty is unknown.
TEST(Metrics, OneThatCannotBeComputedNearbyHasNoUncertainty) {
  const KernelSpec spec = spec_with({{"inverse", "1 / (energy - 4.5)"}});
  const Metrics metrics = Metrics::compile(spec, spec.parameters, {"energy"}).value();
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(1000)};
  observation.metrics = {{"energy", 5.0, "J", 0.5}};
  ASSERT_TRUE(metrics.add_to(observation, space_of(spec).configuration(0)));
  EXPECT_DOUBLE_EQ(observation.metrics[1].value, 2.0);
  EXPECT_FALSE(observation.metrics[1].uncertainty);
}

// The inputs are 5 J +- 0.5 and 20 W +- 2. The product's bounds are 4.5 * 18 = 81 and 5.5 * 22 = 121; each input alone
// makes 10, together 20.
TEST(Metrics, UncertaintiesOfWhatTheyReadAddUp) {
  const KernelSpec spec = spec_with(
      {{"product", "energy * power"}, {"twice", "2 * product"}, {"root", "energy ** 0.5"}, {"rate", "n / time"}});
  const Metrics metrics = Metrics::compile(spec, spec.parameters, {"energy", "power"}).value();
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(1000)};
  observation.metrics = {{"energy", 5.0, "J", 0.5}, {"power", 20.0, "W", 2.0}};
  ASSERT_TRUE(metrics.add_to(observation, space_of(spec).configuration(0)));
  ASSERT_EQ(observation.metrics.size(), 6u);
  EXPECT_DOUBLE_EQ(*observation.metrics[2].uncertainty, 20.0);
  EXPECT_DOUBLE_EQ(*observation.metrics[3].uncertainty, 40.0);
  EXPECT_NEAR(*observation.metrics[4].uncertainty, (std::sqrt(5.5) - std::sqrt(4.5)) / 2, 1e-12);
  EXPECT_FALSE(observation.metrics[5].uncertainty);  // the time's interval is in the statistics
}

std::string mistake(KernelSpec spec) {
  Problem problem(std::move(spec));
  const auto started = problem.start();
  return started ? "" : started.error().to_string();
}

// A run takes 2 J in 3 s: 6 J s, 18 J s^2, and 10 operations in 2 J.
TEST(Metrics, StandardOnesNeedNoDefinition) {
  const auto value = [](const std::string& metric, std::vector<std::pair<std::string, std::string>> defined = {}) {
    const KernelSpec spec = spec_with(std::move(defined), {{metric, false}});
    const Metrics metrics = Metrics::compile(spec, spec.parameters, {"energy"}).value();
    return metrics.objective({{"energy", 2.0, "J"}}, nanoseconds_from_seconds(3), space_of(spec).configuration(0))
        .value();
  };
  EXPECT_DOUBLE_EQ(value("edp"), 6.0);
  EXPECT_DOUBLE_EQ(value("ed2p"), 18.0);
  EXPECT_DOUBLE_EQ(value("operations_per_joule", {{"operations", "10"}}), 5.0);
  EXPECT_DOUBLE_EQ(value("edp", {{"edp", "energy * 7"}}), 14.0);  // the spec's own wins
}

TEST(Metrics, StandardOnesHaveUnitsAndUncertainty) {
  const KernelSpec spec = spec_with({}, {{"edp", false}});
  const Metrics metrics = Metrics::compile(spec, spec.parameters, {"energy"}).value();
  Observation observation;
  observation.statistics = Statistics{.median = nanoseconds_from_seconds(3)};
  observation.metrics = {{"energy", 2.0, "J", 0.1}};
  ASSERT_TRUE(metrics.add_to(observation, space_of(spec).configuration(0)));
  EXPECT_EQ(observation.metrics.back().unit, "J s");
  EXPECT_NEAR(*observation.metrics.back().uncertainty, 0.3, 1e-12);  // 3 s of it
  EXPECT_TRUE(metrics.objective_needs_energy());
}

TEST(Metrics, StandardOnesSayWhatTheyLack) {
  const KernelSpec unobserved = spec_with({}, {{"edp", false}});
  EXPECT_THAT(Metrics::compile(unobserved, unobserved.parameters, {}).error().to_string(),
              HasSubstr("observing energy"));
  const KernelSpec uncounted = spec_with({}, {{"operations_per_joule", true}});
  EXPECT_THAT(Metrics::compile(uncounted, uncounted.parameters, {"energy"}).error().to_string(),
              HasSubstr("a metric `operations` says"));
}

TEST(Metrics, MistakesAreFoundAtTheStart) {
  EXPECT_THAT(mistake(spec_with({{"rate", "n / tme"}})), HasSubstr("time"));
  EXPECT_THAT(mistake(spec_with({{"block", "1"}})), HasSubstr("name of its own"));
  EXPECT_THAT(mistake(spec_with({{"rate", "n /"}})), HasSubstr("spec.toml:40"));
  EXPECT_THAT(mistake(spec_with({{"rate", "n"}}, {{"rte", true}})), HasSubstr("rate"));
}

}  // namespace
}  // namespace wattune::tune
