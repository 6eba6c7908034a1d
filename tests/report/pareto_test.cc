#include <gmock/gmock.h>

#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns times of 1, 2, 3, 4 ms with a quality of 5, 9, 7, 12: 3 ms is worse than 2 ms in both.
ResultSet four_points(std::vector<Objective> objectives) {
  ResultSet results = ResultsBuilder({{.name = "x", .values = {1, 2, 3, 4, 5}}})
                          .time({1}, 1e6)
                          .time({2}, 2e6)
                          .time({3}, 3e6)
                          .time({4}, 4e6)
                          .failure({5}, Status::compile, "no");
  const double quality[] = {5, 9, 7, 12};
  for (int i = 0; i < 4; ++i) results.trials[i].observation.metrics = {{"quality", quality[i], ""}};
  results.info.objectives = std::move(objectives);
  return results;
}

std::vector<int> front_of(const ResultSet& results) {
  std::vector<int> values;
  for (const Trial* trial : pareto_front(results))
    values.push_back(static_cast<int>(trial->configuration.values()[0].as_integer()));
  return values;
}

TEST(ParetoFront, HoldsWhatNoOtherBeatsInAllObjectives) {
  EXPECT_THAT(front_of(four_points({{"time", false}, {"quality", true}})), ElementsAre(1, 2, 4));
  EXPECT_THAT(front_of(four_points({{"quality", true}, {"time", false}})), ElementsAre(4, 2, 1));
  EXPECT_THAT(front_of(four_points({{"time", false}, {"quality", false}})), ElementsAre(1));
}

TEST(ParetoFront, NeedsTwoObjectives) {
  EXPECT_THAT(front_of(four_points({{"quality", true}})), IsEmpty());
  EXPECT_EQ(table_of_pareto_front(four_points({}), 80), "");
}

TEST(ParetoFront, LeavesOutWhatHasNoValue) {
  ResultSet results = four_points({{"time", false}, {"quality", true}});
  results.trials[0].observation.metrics.clear();
  EXPECT_THAT(front_of(results), ElementsAre(2, 4));
}

TEST(ParetoFront, IsDrawn) {
  const std::string svg = plot_pareto_svg(four_points({{"time", false}, {"quality", true}}));
  EXPECT_THAT(svg, testing::HasSubstr("time (ms), less is better"));
  EXPECT_THAT(svg, testing::HasSubstr("quality, more is better"));
  EXPECT_THAT(svg, testing::HasSubstr("Pareto front, 3<"));
  EXPECT_EQ(plot_pareto_svg(four_points({{"time", false}})), "");
}

TEST(ParetoFront, IsATable) {
  EXPECT_EQ(table_of_pareto_front(four_points({{"time", false}, {"quality", true}}), 80),
            "time (s)  quality  configuration\n"
            "   0.001        5  x=1\n"
            "   0.002        9  x=2\n"
            "   0.004       12  x=4\n");
}

}  // namespace
}  // namespace wattune::report
