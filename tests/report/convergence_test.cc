#include <gmock/gmock.h>

#include <cmath>

#include "report/axis.h"
#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ResultSet sample() {
  return one_parameter()
      .default_values({1})
      .failure({8}, Status::compile, "no")
      .time({1}, 4e6)
      .time({2}, 5e6)
      .time({4}, 1e6);
}

TEST(Convergence, IsTheBestSoFar) {
  const std::vector<double> series = convergence(sample());
  ASSERT_EQ(series.size(), 4u);
  EXPECT_TRUE(std::isnan(series[0]));
  EXPECT_EQ(series[1], 4.0);
  EXPECT_EQ(series[2], 4.0);
  EXPECT_EQ(series[3], 1.0);
}

// 22 cells are 44 dots for 4 evaluations: the second begins at dot 43 / 3, the last is dot 43 alone.
TEST(ConvergencePlot, DrawsAStaircaseWithAxes) {
  EXPECT_EQ(plot_convergence(sample(), 24, 8),
            "best time so far (ms)\n"
            "4┤       ⠐⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⢲\n"
            " │                     ⢸\n"
            " │                     ⢸\n"
            "2┤                     ⢸\n"
            " │                     ⠸\n"
            " └──────────────────────\n"
            "  1        4 evaluations\n");
}

TEST(ConvergencePlot, SurvivesOneEvaluation) {
  const std::string plot = plot_convergence(one_parameter().time({1}, 1e6), 40, 8);
  EXPECT_THAT(plot, HasSubstr("1 evaluations"));
  EXPECT_THAT(plot, HasSubstr("1┤"));
}

TEST(ConvergencePlot, IsDrawnInASpaceThatIsTooSmall) {
  for (std::size_t width = 0; width < 16; ++width)
    for (std::size_t height = 0; height < 6; ++height) EXPECT_FALSE(plot_convergence(sample(), width, height).empty());
}

TEST(ConvergenceSvg, ShowsEveryEvaluation) {
  const std::string svg = plot_convergence_svg(sample());
  EXPECT_THAT(svg, HasSubstr(">add on Device A</text>"));
  EXPECT_THAT(svg, HasSubstr("best so far, at last 1.000 ms"));
  EXPECT_THAT(svg, HasSubstr("default, 4.000 ms"));
  EXPECT_THAT(svg, HasSubstr(">time (ms)</text>"));
  EXPECT_THAT(svg, HasSubstr("class=\"failed\" d=\"M76.0 "));
  const std::size_t dots = svg.find("class=\"dots\" d=\"");
  const std::string path = svg.substr(dots, svg.find("/>", dots) - dots);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 3);
}

// Returns results in which the search found 2 ms for 4, and the final, in which the default, 1, took part, 3 ms.
ResultSet with_default_in_final() {
  return one_parameter()
      .default_values({1})
      .time({1}, 5e6)
      .in_final(FinalPlace::behind, 4e6)
      .time({2}, 2.5e6)
      .time({4}, 3e6)
      .in_final(FinalPlace::winner, 2e6, PairedGain{1.6, 1.5, 1.7});
}

TEST(Convergence, IsOfTheSearchWhateverTheFinalMeasured) {
  EXPECT_THAT(convergence(with_default_in_final()), ElementsAre(4.0, 2.5, 2.0));
  EXPECT_THAT(plot_convergence(with_default_in_final(), 80, 8),
              testing::StartsWith("best time so far (ms) in the search; the final measured 3.000 ms\n"));
}

TEST(Convergence, IsTheTimeOfTheBestByAnotherObjective) {
  ResultSet results = one_parameter().time({1}, 2e6).time({2}, 3e6).time({4}, 1e6);
  results.info.objectives = {{"energy", false}};
  for (std::size_t i = 0; i < 3; ++i) results.trials[i].observation.objective_value = std::vector{5.0, 4.0, 6.0}[i];
  EXPECT_THAT(convergence(results), ElementsAre(2.0, 3.0, 3.0));
  EXPECT_THAT(plot_convergence(results, 80, 8), testing::StartsWith("time of the best so far (ms)\n"));
}

TEST(ConvergenceSvg, MarksWhatTheFinalMeasured) {
  const std::string svg = plot_convergence_svg(with_default_in_final());
  EXPECT_THAT(svg, HasSubstr(">search: <tspan fill=\"#d9730d\">━ best so far, at last 2.000 ms</tspan>"));
  EXPECT_THAT(svg, HasSubstr("┅ default, 4.000 ms"));
  EXPECT_THAT(svg, HasSubstr(">final: <tspan fill=\"#d9730d\">◇ best, 3.000 ms</tspan>"));
  EXPECT_THAT(svg, HasSubstr(">default, 5.000 ms</tspan>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"final\" d=\"M736.0 "));
  EXPECT_THAT(plot_convergence_svg(sample()), Not(HasSubstr("final:")));
}

TEST(ConvergenceSvg, LeavesOutWhatThereIsNot) {
  const std::string svg = plot_convergence_svg(one_parameter().time({1}, 1e6));
  EXPECT_THAT(svg, Not(HasSubstr("failed</tspan>")));
  EXPECT_THAT(svg, Not(HasSubstr("default,")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ConvergenceSvg, EscapesNames) {
  ResultSet results = sample();
  results.info.kernel_name = "a<b>&\"c\"";
  EXPECT_THAT(plot_convergence_svg(results), HasSubstr("a&lt;b&gt;&amp;&quot;c&quot; on"));
}

TEST(Axis, LabelsRoundNumbers) {
  EXPECT_THAT(Axis::linear(0, 10).ticks(5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(Axis::linear(1, 400).ticks(4), ElementsAre(100, 200, 300, 400));
  EXPECT_THAT(Axis::of_times(0.5, 40).ticks(10), ElementsAre(0.5, 1, 2, 5, 10, 20));
  EXPECT_THAT(Axis::of_times(1, 1e6).ticks(4), ElementsAre(1, 100, 1e4, 1e6));
}

TEST(Axis, IsLogarithmicForWideRanges) {
  EXPECT_NEAR(Axis::of_times(1, 10000).position(100), 0.5, 1e-12);
  EXPECT_NEAR(Axis::linear(1, 3).position(2), 0.5, 1e-12);
  const Axis flat = Axis::of_times(5, 5);
  EXPECT_NEAR(flat.position(5), 0.5, 1e-12);
}

TEST(Axis, WritesTicksWithoutNoise) {
  EXPECT_EQ(tick_text(3 * 0.1), "0.3");
  EXPECT_EQ(tick_text(20000), "20000");
  EXPECT_EQ(tick_text(0.00001), "1e-05");
}

}  // namespace
}  // namespace wattune::report
