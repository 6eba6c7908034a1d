// ForecastPlot: forecasts against measurements, with a point for each pair of these numbers, and the errors of the
// forecasts.
//
// A forecast and its measurement are plain numbers in the same unit. The functions return text and print nothing. Any
// thread may call them.
//
//   report::ForecastPlot plot{.title = "36 pairs on H200", .forecast_label = "forecast gain in %", ...};
//   store::write_file("forecasts.svg", report::plot_forecasts_svg(plot), true);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wattune::inline v0_1::report {

struct ForecastPlot {
  struct Point {
    std::string name;
    double forecast = 0.0;
    double measured = 0.0;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
  };

  std::string title;
  std::string forecast_label;  // label of the horizontal axis, with its unit
  std::string measured_label;  // label of the vertical axis, in the same unit
  std::vector<Series> series;
  double band = 0.0;  // distance from the diagonal at which two more lines are drawn; 0 for no lines
};

// The errors (measured value minus forecast) of the points with two finite numbers.
struct ForecastErrors {
  std::size_t points = 0;
  double mean = 0.0;  // mean of the absolute errors
  double rms = 0.0;
  double worst = 0.0;  // the largest error, with its sign
  std::string name_of_worst;
};
ForecastErrors errors_of(const std::vector<ForecastPlot::Point>& points);

// Draws the plot as SVG. It shows the diagonal, the points and, below, a line of text with the errors of each series. A
// point shows its name when a mouse rests on it. Points without two finite numbers are left out. If there is no point
// that can be drawn, the picture says so.
std::string plot_forecasts_svg(const ForecastPlot& plot);

}  // namespace wattune::report
