#include <fmt/format.h>

#include <map>

#include "report/heat_map.h"
#include "report/trials.h"
#include "wattune/report/report.h"

namespace wattune::report {

// Colours go up to the largest share, because the numbers say how large it is.
std::string plot_interactions_svg(const ResultSet& results) {
  const std::vector<Importance> parameters = parameter_importance(results);
  std::map<std::pair<std::string, std::string>, double> shares;
  double largest = 0.0;
  for (const Importance& each : parameters) {
    const double share = each.main_effect.value_or(0.0);
    shares[{each.parameter, each.parameter}] = share;
    largest = std::max(largest, share);
  }
  for (const Interaction& each : parameter_interactions(results)) {
    shares[{each.first, each.second}] = shares[{each.second, each.first}] = each.share;
    largest = std::max(largest, each.share);
  }
  HeatMap map{.title = name_of(results.info) + ": share of the variance of log(time), %",
              .rows = {},
              .columns = {},
              .cells = {}};
  for (const Importance& row : parameters) {
    map.rows.push_back(row.parameter);
    std::vector<HeatMap::Cell>& cells = map.cells.emplace_back();
    for (const Importance& column : parameters) {
      const double share = shares[{row.parameter, column.parameter}];
      cells.push_back({largest > 0.0 ? share / largest : 0.0, fmt::format("{:.1f}", 100.0 * share)});
    }
  }
  map.columns = map.rows;
  return draw_heat_map(map);
}

}  // namespace wattune::report
