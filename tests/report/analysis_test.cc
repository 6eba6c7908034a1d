#include "report/interface/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/fitness_flow.h"
#include "report/interface/trials.h"
#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

// Returns a row of parameter values 1, 2, 4, 8 with times 3, 2, 5, 1 ms: 2 and 8 are local minima.
ResultSet row() { return one_parameter().time({1}, 3e6).time({2}, 2e6).time({4}, 5e6).time({8}, 1e6); }

TEST(Analysis, CountsWhatIsNearTheBest) {
  EXPECT_EQ(count_within(row(), 0.5), 1u);
  EXPECT_EQ(count_within(row(), 1.0), 2u);
  const Distribution times = distribution_of(row());
  EXPECT_EQ(times.correct, 4u);
  EXPECT_EQ(times.best, 1e6);
  EXPECT_EQ(times.worst, 5e6);
}

// Returns the row with a final between 2 and 8, in which the device was slower than in the search.
ResultSet row_with_final() {
  return one_parameter()
      .time({1}, 3e6)
      .time({2}, 6e6)
      .in_final(FinalPlace::winner, 2e6)
      .time({4}, 5e6)
      .time({8}, 7e6)
      .in_final(FinalPlace::behind, 1e6);
}

TEST(Analysis, IsOfWhatTheSearchMeasured) {
  const Distribution times = distribution_of(row_with_final());
  EXPECT_EQ(times.best, 1e6);
  EXPECT_EQ(times.worst, 5e6);
  EXPECT_EQ(count_within(row_with_final(), 1.0), count_within(row(), 1.0));
  EXPECT_EQ(centrality_of(row_with_final(), {0.1}).proportions, centrality_of(row(), {0.1}).proportions);
  EXPECT_EQ(amortisation_of(row_with_final()).launches, amortisation_of(row()).launches);
  EXPECT_EQ(plot_distribution_svg({row_with_final()}, {"A"}), plot_distribution_svg({row()}, {"A"}));
  EXPECT_EQ(parameter_importance(row_with_final()).front().main_effect,
            parameter_importance(row()).front().main_effect);
  EXPECT_EQ(portability({row_with_final()}), std::vector<std::vector<double>>{{1.0}});
}

// Edges 1 -> 2, 4 -> 2 and 4 -> 8; 2 and 8 lead nowhere. With t = (0.15 + 0.85 (r2 + r8)) / 4, the ranks are r1 = r4 =
// t, r2 = t + 0.85 t + 0.425 t = 2.275 t and r8 = t + 0.425 t = 1.425 t.
TEST(FitnessFlow, RanksWhereWalksDownhillEnd) {
  const ResultSet results = row();
  const FitnessFlow flow(ranked(results), results.info.parameters);  // 8, 2, 1, 4
  EXPECT_TRUE(flow.is_minimum(0));
  EXPECT_TRUE(flow.is_minimum(1));
  EXPECT_FALSE(flow.is_minimum(2));
  EXPECT_FALSE(flow.is_minimum(3));
  const std::vector<double> rank = flow.page_rank();
  EXPECT_NEAR(rank[0] / rank[3], 1.425, 1e-8);
  EXPECT_NEAR(rank[1] / rank[3], 2.275, 1e-8);
  EXPECT_NEAR(rank[2] / rank[3], 1.0, 1e-8);
  EXPECT_NEAR(rank[0] + rank[1] + rank[2] + rank[3], 1.0, 1e-8);
}

TEST(Analysis, CentralityIsTheShareOfGoodMinima) {
  const Centrality centrality = centrality_of(row(), {0.1, 1.0});
  EXPECT_EQ(centrality.minima, 2u);
  EXPECT_NEAR(centrality.proportions[0], 1.425 / (1.425 + 2.275), 1e-8);
  EXPECT_NEAR(centrality.proportions[1], 1.0, 1e-8);
}

// Four correct configurations take 1, 2, 3 and 5 ms, and one failed. The axis is from x 76 to 736 and from y 388 to 48.
// The best is one of five; at the performance of the second, 1/2, there are two.
TEST(Analysis, DrawsHowManyReachWhichPerformance) {
  ResultSet results = row();
  results.trials.push_back(ResultSet(one_parameter().failure({16}, Status::compile, "no")).trials.front());
  const std::string svg = plot_distribution_svg({results}, {"A"});
  EXPECT_THAT(svg, testing::HasSubstr("M736.0 320.0L406.0 320.0L406.0 252.0L"));
  EXPECT_THAT(svg, testing::HasSubstr("A: 4 correct, 1 failed"));
  const ResultSet failures = one_parameter().failure({1}, Status::compile, "no");
  EXPECT_THAT(plot_distribution_svg({failures}, {"B"}), testing::HasSubstr("B: 0 correct, 1 failed"));
}

// The best of the row fails on the second device, whose best is not in the row.
TEST(Analysis, DrawsPortability) {
  const ResultSet other = one_parameter().time({16}, 1e6).failure({8}, Status::compile, "no");
  const std::string svg = plot_portability_svg({row(), other}, {"first", "second"});
  EXPECT_THAT(svg, testing::HasSubstr(">100.0</text>"));
  EXPECT_THAT(svg, testing::HasSubstr(">failed</text>"));
  EXPECT_THAT(svg, testing::HasSubstr(">-</text>"));
  EXPECT_THAT(svg, testing::HasSubstr("add: speed of the row"));
}

// Every value of the row was recorded. Every third of ten by ten values was recorded, without neighbours.
TEST(Analysis, DescribesTheSpaceWhereResultsAreDense) {
  EXPECT_TRUE(describes_space(row()));
  EXPECT_FALSE(describes_space(one_parameter().time({1}, 3e6).time({4}, 5e6)));
  std::vector<Value> values;
  for (int i = 0; i < 40; ++i) values.emplace_back(i);
  const std::vector<Parameter> parameters = {{.name = "x", .values = values}, {.name = "y", .values = values}};
  ResultsBuilder apart(parameters);
  ResultsBuilder dense(parameters);
  for (int i = 0; i < 1600; ++i) {
    const int x = i % 40;
    const int y = i / 40;
    if (x % 3 == 0 && y % 3 == 0) apart.time({x, y}, 1e6 + i);
    if (x + y < 40) dense.time({x, y}, 1e6 + i);
  }
  EXPECT_FALSE(describes_space(apart));
  EXPECT_TRUE(describes_space(dense));
}

TEST(Analysis, AnswersWhenNothingIsCorrect) {
  const ResultSet failures = one_parameter().failure({1}, Status::compile, "no");
  EXPECT_EQ(distribution_of(failures).failed, 1u);
  EXPECT_EQ(count_within(failures, 0.1), 0u);
  EXPECT_TRUE(std::isnan(centrality_of(failures, {0.1}).proportions[0]));
}

TEST(Analysis, AnswersWhenNothingHasAnObjective) {
  ResultSet results = row();
  for (Trial& trial : results.trials) trial.observation.objective_value = std::numeric_limits<double>::infinity();
  EXPECT_EQ(distribution_of(results).correct, 4u);
  EXPECT_EQ(distribution_of(results).best, 0.0);
  EXPECT_EQ(count_within(results, 0.1), 0u);
  EXPECT_FALSE(describes_space(results));
  EXPECT_TRUE(std::isnan(centrality_of(results, {0.1}).proportions[0]));
  EXPECT_EQ(amortisation_of(results).launches, 0.0);
  EXPECT_TRUE(std::isnan(portability({results})[0][0]));
  EXPECT_FALSE(plot_distribution_svg({results}, {"A"}).empty());
  EXPECT_THAT(table_of_best(results, 5, 80), testing::HasSubstr("None of them has a value of the objective."));
}

// One of 100 configurations is good, so random search needs ln(0.1) / ln(0.99) = 229.1 steps for it (the example of
// equation 5). On average all take twice the time of a good one: 0.9 * 230 * (2 - 1) / 0.1 launches.
TEST(Analysis, TuningPaysOffAfterSoManyLaunches) {
  std::vector<Value> values;
  for (int i = 0; i < 100; ++i) values.emplace_back(i);
  ResultsBuilder builder({{.name = "x", .values = values}});
  builder.time({0}, 95.0);
  for (int i = 1; i < 100; ++i) builder.time({i}, (20'000.0 - 95.0) / 99.0);
  const Amortisation amortisation = amortisation_of(builder);
  EXPECT_EQ(amortisation.steps, 230.0);
  EXPECT_NEAR(amortisation.launches, 2070.0, 1.0);
  EXPECT_EQ(amortisation_of(one_parameter().time({1}, 5)).launches, 1.0);
  EXPECT_EQ(amortisation_of(one_parameter().failure({1}, Status::compile, "no")).steps, 0.0);
}

// The best on the first device is 8, which takes 4 of at best 2 ms on the second. The best on the second is 1, which
// takes 3 of at best 1 ms on the first. The third failed 8 and did not measure 1.
TEST(Analysis, PortabilityComparesWithTheBestOfEach) {
  const ResultSet second = one_parameter().time({1}, 2e6).time({8}, 4e6);
  const ResultSet third = one_parameter().time({2}, 7e6).failure({8}, Status::runtime, "no");
  const auto matrix = portability({row(), second, third});
  EXPECT_EQ(matrix[0][0], 1.0);
  EXPECT_EQ(matrix[0][1], 0.5);
  EXPECT_EQ(matrix[0][2], 0.0);
  EXPECT_NEAR(matrix[1][0], 1.0 / 3.0, 1e-12);
  EXPECT_TRUE(std::isnan(matrix[1][2]));
  EXPECT_EQ(matrix[2][0], 0.5);
}

// On the second device 8 was fast at first, and slow beside the best in the final; 1 failed a check in the end.
TEST(Analysis, IsOfTheTrialThatCounts) {
  ResultSet first = one_parameter().time({8}, 1e6);
  ResultSet second = one_parameter().time({2}, 2e6).time({8}, 1e6).time({8}, 4e6).time({1}, 1e6);
  EXPECT_EQ(distribution_of(second).failed, 0u);
  second.trials.push_back(ResultSet(one_parameter().failure({1}, Status::correctness, "no")).trials.front());
  EXPECT_EQ(portability({first, second})[0][1], 0.5);
  EXPECT_EQ(distribution_of(second).failed, 1u);
  second.trials.push_back(ResultSet(one_parameter().time({1}, 3e6)).trials.front());
  EXPECT_EQ(distribution_of(second).failed, 0u);
}

// The rates are 100, 98, 50 and 80: within 5 % means at most 1.05 times as bad. Two of four are good, of which random
// search finds one in ln(0.1) / ln(1 - 2 / 4) = 3.3 steps. The mean slowdown (1 + 100/98 + 2 + 1.25) / 4 * 0.95 - 1 =
// 0.2517 costs 0.9 * 4 * 0.2517 / 0.1 launches.
TEST(Analysis, OfAMetricThatIsToBeLargeIsByItsRatio) {
  ResultSet results = row();
  const double rates[] = {100, 98, 50, 80};
  for (std::size_t i = 0; i < 4; ++i) results.trials[i].observation.objective_value = -rates[i];
  results.info.objectives = {{"gflops", true}};
  EXPECT_EQ(count_within(results, 0.05), 2u);
  EXPECT_EQ(amortisation_of(results).steps, 4.0);
  EXPECT_EQ(amortisation_of(results).launches, 10.0);
  // 1 and 8 are minima, with rates of 100 and 80.
  EXPECT_NEAR(centrality_of(results, {0.3}).proportions[0], 1.0, 1e-12);
  EXPECT_GT(centrality_of(results, {0.05}).proportions[0], 0.0);
  ResultSet second = results;
  second.trials[0].observation.objective_value = -25.0;
  EXPECT_NEAR(portability({results, second})[0][1], 25.0 / 98.0, 1e-12);
}

// The objective is a sum that may fall below 0.
TEST(Analysis, OfMixedSignsNeverPaysOff) {
  ResultSet results = row();
  results.trials[0].observation.objective_value = -1.0;
  results.trials[1].observation.objective_value = 1.0;
  EXPECT_EQ(count_within(results, 0.1), 1u);
  EXPECT_TRUE(std::isinf(amortisation_of(results).launches));
}

TEST(Analysis, WhatAReplayLacksHasNotFailed) {
  const ResultSet results =
      one_parameter().time({1}, 5).failure({2}, Status::compile, "no").failure({4}, Status::not_recorded, "");
  EXPECT_EQ(distribution_of(results).failed, 1u);
}

}  // namespace
}  // namespace wattune::report
