#include <fmt/format.h>

#include <map>

#include "report/heat_map.h"
#include "report/interface/trials.h"
#include "report/svg.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

// Draws the heat map. Colours are relative to the largest share, because the numbers give the values.
std::string plot_interactions_svg(const ResultSet& results) {
  const std::vector<Importance> parameters = parameter_importance(results);
  std::map<std::pair<std::string, std::string>, double> shares;
  double largest = 0.0;
  for (const Importance& each : parameters) {
    if (!each.main_effect) continue;
    shares[{each.parameter, each.parameter}] = *each.main_effect;
    largest = std::max(largest, *each.main_effect);
  }
  for (const Interaction& each : parameter_interactions(results)) {
    shares[{each.first, each.second}] = shares[{each.second, each.first}] = each.share;
    largest = std::max(largest, each.share);
  }
  HeatMap map{.title = cut(name_of(results.info), kLongestName) + ": share of the variance of log(time), %",
              .rows = {},
              .columns = {},
              .cells = {}};
  for (const Importance& row : parameters) {
    map.rows.push_back(row.parameter);
    std::vector<HeatMap::Cell>& cells = map.cells.emplace_back();
    for (const Importance& column : parameters) {
      const auto share = shares.find({row.parameter, column.parameter});
      if (share == shares.end())
        cells.push_back({0.0, "?"});
      else
        cells.push_back({largest > 0.0 ? share->second / largest : 0.0, fmt::format("{:.1f}", 100.0 * share->second)});
    }
  }
  map.columns = map.rows;
  return draw_heat_map(map);
}

}  // namespace wattune::report
