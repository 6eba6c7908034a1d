// LineChart: curves over an axis from 0 to 100 %, with a legend below.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::report {

struct LineChart {
  struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;  // points, whose x is from 0 to 1; if empty, only the name is shown
  };

  std::string title;
  std::string x_label;
  std::string y_label;
  double low = 0.0;          // the lower end of the vertical axis, which ends at 1
  bool percent = false;      // true if the vertical axis has labels in percent
  bool dashed_zero = false;  // true to draw a dashed line at 0
  std::vector<Curve> curves;
};

// Draws the chart in the colours of Okabe and Ito, which readers with any colour vision can tell apart. From the eighth
// on, curves are dashed. Values below `low` are drawn at `low`.
std::string draw_line_chart(const LineChart& chart);

}  // namespace wattune::report
