// Draws intervals below each other, for comparisons of runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::report {

struct IntervalLine {
  std::string name;
  double value = 0.0;  // a mark
  double low = 0.0;    // the ends of the line
  double high = 0.0;
};

// Draws a line for each interval, with a mark at its value, above an axis that has the name `label`. The picture is
// empty without lines. Lines with a number that is not finite are left out.
std::string draw_intervals(const std::vector<IntervalLine>& lines, std::string_view label);

}  // namespace wattune::report
