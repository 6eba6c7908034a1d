// ForecastPlot: what was forecast against what came of it, each pair of numbers a point, with how far they lie apart.
//
// Plain numbers, both in the same unit. Returns text, prints nothing. Any thread may call.
//
//   report::ForecastPlot plot{.title = "36 pairs on H200", .forecast_label = "forecast gain in %", ...};
//   store::write_file("forecasts.svg", report::plot_forecasts_svg(plot), true);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wattune::report {

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
  std::string forecast_label;  // of the axis to the right, with its unit
  std::string measured_label;  // of the axis upwards, in the same
  std::vector<Series> series;
  double band = 0.0;  // lines so far from the diagonal; 0: none
};

// Of measured less forecast, of the points with two finite numbers.
struct ForecastErrors {
  std::size_t points = 0;
  double mean = 0.0;  // without signs
  double rms = 0.0;
  double worst = 0.0;  // with its sign
  std::string name_of_worst;
};
ForecastErrors errors_of(const std::vector<ForecastPlot::Point>& points);

// As SVG: the diagonal, the points, which tell their names where a mouse rests on them, and a line below for each
// series with its errors. Points without two finite numbers are left out; without one that can be drawn it says so.
std::string plot_forecasts_svg(const ForecastPlot& plot);

}  // namespace wattune::report
