// ForecastPlot: forecasts against measurements, with a point for each pair of numbers, and the errors of the forecasts.
//
// Forecast and measurement are plain numbers of the same unit. Returns text, prints nothing. Any thread may call.
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
  double band = 0.0;  // distance from the diagonal at which two further lines are drawn; none if 0
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

// Draws the plot as SVG: the diagonal, the points and for each series a line below with its errors. A point shows its
// name when a mouse rests on it. Points without two finite numbers are left out. Without a point that can be drawn the
// picture says so.
std::string plot_forecasts_svg(const ForecastPlot& plot);

}  // namespace wattune::report
