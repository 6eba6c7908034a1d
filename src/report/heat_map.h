// HeatMap: a table of shares, drawn as coloured cells with numbers in them.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::report {

struct HeatMap {
  struct Cell {
    double share = 0.0;  // from 0 (pale) to 1 (dark); NaN for a cell without colour
    std::string text;
  };

  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> cells;  // cells, by row
};

// Draws the map in shades of blue that readers with any colour vision can tell apart, with dark numbers.
std::string draw_heat_map(const HeatMap& map);

}  // namespace wattune::report
