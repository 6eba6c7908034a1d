#include <fmt/format.h>

#include <cmath>
#include <set>

#include "report/heat_map.h"
#include "report/interface/analysis.h"
#include "report/svg.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

std::string plot_portability_svg(const std::vector<ResultSet>& results, const std::vector<std::string>& names) {
  std::set<std::string> kernels;
  for (const ResultSet& each : results) kernels.insert(each.info.kernel_name);
  const std::string kernel = kernels.size() == 1 ? *kernels.begin() : "";
  HeatMap map{.title = cut(kernel, kLongestName) + (kernel.empty() ? "" : ": ") +
                       "speed of the row's best configuration on the column, % of the column's best",
              .rows = names,
              .columns = names,
              .cells = {}};
  for (const std::vector<double>& row : portability(results)) {
    std::vector<HeatMap::Cell>& cells = map.cells.emplace_back();
    for (const double share : row) {
      const std::string text = share == 0.0 ? "failed" : fmt::format("{:.1f}", 100.0 * share);
      cells.push_back({share, std::isnan(share) ? "-" : text});
    }
  }
  return draw_heat_map(map);
}

}  // namespace wattune::report
