// LineChart: curves over shares from 0 to 100 %, with a legend below.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wattune::report {

struct LineChart {
  struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;  // x from 0 to 1; none: only its name is shown
  };

  std::string title;
  std::string x_label;
  std::string y_label;
  double low = 0.0;          // where the vertical axis begins; it ends at 1
  bool percent = false;      // whether that axis counts in percent
  bool dashed_zero = false;  // a line to compare with
  std::vector<Curve> curves;
};

// Colours of Okabe and Ito, which every eye tells apart; from the eighth curve on dashed. What lies below `low` is
// drawn there.
std::string draw_line_chart(const LineChart& chart);

}  // namespace wattune::report
