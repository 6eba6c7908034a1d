#include "report/interface/forecast_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The errors are 0, 3 and -4: the mean of their sizes is 7/3, the root of the mean of their squares the root of 25/3.
const std::vector<ForecastPlot::Point> kThree = {{"right", 0, 0}, {"low", 10, 13}, {"<high>", 20, 16}};

ForecastPlot plot_of(std::vector<ForecastPlot::Series> series, double band = 0.0) {
  return {.title = "pairs <here>",
          .forecast_label = "forecast in %",
          .measured_label = "measured in %",
          .series = std::move(series),
          .band = band};
}

TEST(ForecastPlot, ErrorsAreOfMeasuredLessForecast) {
  const ForecastErrors errors = errors_of(kThree);
  EXPECT_EQ(errors.points, 3U);
  EXPECT_DOUBLE_EQ(errors.mean, 7.0 / 3.0);
  EXPECT_DOUBLE_EQ(errors.rms, std::sqrt(25.0 / 3.0));
  EXPECT_DOUBLE_EQ(errors.worst, -4.0);
  EXPECT_EQ(errors.name_of_worst, "<high>");
}

// Both axes go from -1 to 21, with a margin of a twentieth: over 646 pixels from 90 on, and up over 400 from 448 on. So
// 10 lies in the middle at 413, and 13 at 448 - 400 * 14 / 22.
TEST(ForecastPlot, PointsStandAtTheirNumbersWithTheirNames) {
  const std::string svg = plot_forecasts_svg(plot_of({{"pilots", kThree}}));
  EXPECT_THAT(svg, HasSubstr("pairs &lt;here&gt;"));
  EXPECT_THAT(svg, HasSubstr(">forecast in %</text>"));
  EXPECT_THAT(svg, HasSubstr(">measured in %</text>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"413.0\" cy=\"193.5\" r=\"4\"><title>low: 10 forecast, 13 came</title>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"diagonal\" d=\"M90.0 448.0L736.0 48.0\"/>"));
  EXPECT_THAT(svg, Not(HasSubstr("<path class=\"band\"")));
}

TEST(ForecastPlot, EachSeriesTellsItsErrors) {
  const std::string svg = plot_forecasts_svg(plot_of({{"pilots", kThree}, {"counts", {{"one", 5, 6}}}}));
  EXPECT_THAT(svg, HasSubstr(">pilots: 3 points, mean error 2.33, rms 2.89, worst -4 (&lt;high&gt;)</text>"));
  EXPECT_THAT(svg, HasSubstr(">counts: 1 point, mean error 1, rms 1, worst +1 (one)</text>"));
}

// A band of 11 is half of the axis: its lines begin and end in the middle of the frame's edges. All points are in it;
// one of 3 leaves out the error of more than 3.
TEST(ForecastPlot, ABandSaysHowManyLieInIt) {
  const std::string wide = plot_forecasts_svg(plot_of({{"pilots", kThree}}, 11.0));
  EXPECT_THAT(wide, HasSubstr("<path class=\"band\" d=\"M90.0 248.0L413.0 48.0\"/>"));
  EXPECT_THAT(wide, HasSubstr("<path class=\"band\" d=\"M413.0 448.0L736.0 248.0\"/>"));
  EXPECT_THAT(wide, HasSubstr(", 3 within 11</text>"));
  EXPECT_THAT(plot_forecasts_svg(plot_of({{"pilots", kThree}}, 3.0)), HasSubstr(", 2 within 3</text>"));
}

TEST(ForecastPlot, WhatHasNoTwoNumbersIsLeftOut) {
  const ForecastPlot::Series gap{"pilots", {{"unmeasured", 5, kNaN}, {"equal", 5, 5}}};
  const std::string svg = plot_forecasts_svg(plot_of({gap, {"counts", {}}}));
  EXPECT_THAT(svg, HasSubstr(">pilots: 1 point, mean error 0, rms 0, worst +0 (equal)</text>"));
  EXPECT_THAT(svg, HasSubstr(">counts: nothing to compare</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("unmeasured")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ForecastPlot, SaysWhereNothingCanBeDrawn) {
  EXPECT_THAT(plot_forecasts_svg(plot_of({})), HasSubstr("No forecast has a measurement"));
  EXPECT_THAT(plot_forecasts_svg(plot_of({{"pilots", {{"one", kNaN, 1}}}})),
              HasSubstr("No forecast has a measurement"));
}

}  // namespace
}  // namespace wattune::report
