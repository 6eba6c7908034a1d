#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;

// The axis goes from -1, where lower values are cut off, at y 388, to 1 at y 48: 0 is in the middle at 218.
TEST(PerformanceSvg, DrawsCurvesBetweenRandomSearchAndOptimum) {
  const std::string svg = plot_performance_svg("two <spaces>", {{"a & b", {0.0, -5.0, 1.0}}, {"c", {0.5, 0.5, 0.5}}});
  EXPECT_THAT(svg, HasSubstr("two &lt;spaces&gt;"));
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("M76.0 218.0L406.0 388.0L736.0 48.0"));
  EXPECT_THAT(svg, HasSubstr("M76.0 133.0L406.0 133.0L736.0 133.0"));
  EXPECT_THAT(svg, HasSubstr("class=\"zero\" x1=\"76\" x2=\"736\" y1=\"218.0\""));
}

// The title begins at 76 and ends before 736. In a wide font a bold W is 1.1 and an n 0.73 of the size. So 70 n are
// 51.1 sizes, which are 660 pixels at 12.9. At the smallest size, 10, there is room for 60 W at most.
TEST(PerformanceSvg, WritesALongTitleSmallerAndCutsAFarLongerOne) {
  const std::string title(70, 'n');
  EXPECT_THAT(plot_performance_svg(title, {}),
              HasSubstr("y=\"26\"><tspan font-size=\"12.9\">" + title + "</tspan></text>"));
  EXPECT_THAT(plot_performance_svg(std::string(100, 'W'), {}),
              testing::AllOf(HasSubstr("WWW…</tspan></text>"), testing::Not(HasSubstr(std::string(60, 'W')))));
  EXPECT_THAT(plot_performance_svg(std::string(1000, 'n'), {}), testing::Not(HasSubstr("textLength")));
  EXPECT_THAT(plot_performance_svg("short", {}), HasSubstr("y=\"26\">short</text>"));
}

TEST(PerformanceSvg, WritesZeroWithoutASign) {
  const std::string svg = plot_performance_svg("t", {{"a", {-1.0, 1.0}}});
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  EXPECT_THAT(svg, testing::Not(HasSubstr(">-0</text>")));
}

TEST(PerformanceSvg, BeginsAtZeroWhenNothingIsBelow) {
  EXPECT_THAT(plot_performance_svg("t", {{"a", {0.0, 1.0}}}), HasSubstr("M76.0 388.0L736.0 48.0"));
}

// The curve rises from no work at the bottom, y 388, to all of the optimum's work at the top, y 48.
TEST(AmortizationSvg, CountsInPercentOfTheOptimum) {
  const std::string svg = plot_amortization_svg("sizes", {{"ours", {0.0, 0.5, 1.0}}});
  EXPECT_THAT(svg, HasSubstr("M76.0 388.0L406.0 218.0L736.0 48.0"));
  EXPECT_THAT(svg, HasSubstr(">100 %</text>"));
  EXPECT_THAT(svg, HasSubstr("share of the optimum, overhead included"));
}

}  // namespace
}  // namespace wattune::report
