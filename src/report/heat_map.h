// HeatMap: a table of shares as coloured cells with numbers in them.
#pragma once

#include <string>
#include <vector>

namespace wattune::report {

struct HeatMap {
  struct Cell {
    double share = 0.0;  // from 0, pale, to 1, dark; NaN: no colour
    std::string text;
  };

  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> cells;  // by row
};

// Lighter and darker blue, the same on every page and to every eye; numbers are dark on it.
std::string draw_heat_map(const HeatMap& map);

}  // namespace wattune::report
