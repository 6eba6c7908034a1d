// Finds the Pareto front: the Trials that no other Trial dominates.
#include <fmt/format.h>

#include <algorithm>

#include "core/interface/pareto.h"
#include "core/interface/printable.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

struct ParetoPoint {
  const Trial* trial;
  std::vector<double> costs;  // a cost for each objective, for which smaller is better
};

// Returns the Trials that have a value for every objective.
std::vector<ParetoPoint> points_of(const ResultSet& results) {
  std::vector<ParetoPoint> points;
  for (const Trial* trial : ranked(results)) {
    auto costs = costs_of(trial->observation, results.info.objectives);
    if (costs) points.push_back({trial, *std::move(costs)});
  }
  return points;
}

}  // namespace

std::vector<const Trial*> pareto_front(const ResultSet& results) {
  if (results.info.objectives.size() < 2) return {};
  std::vector<ParetoPoint> points = points_of(results);
  // After sorting by cost, every point follows the points that dominate it. So it is enough to compare each point with
  // the front so far.
  std::stable_sort(points.begin(), points.end(),
                   [](const ParetoPoint& a, const ParetoPoint& b) { return a.costs < b.costs; });
  std::vector<const Trial*> front;
  std::vector<const ParetoPoint*> kept;
  for (const ParetoPoint& point : points) {
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const ParetoPoint* other) { return dominates(other->costs, point.costs); }))
      continue;
    kept.push_back(&point);
    front.push_back(point.trial);
  }
  return front;
}

std::string table_of_pareto_front(const ResultSet& results, std::size_t width) {
  const std::vector<const Trial*> front = pareto_front(results);
  if (front.empty()) return {};
  std::vector<TextTable::Column> columns;
  for (const Objective& objective : results.info.objectives)
    columns.push_back({printable(objective.metric) + (objective.metric == "time" ? " (s)" : "")});
  columns.push_back({"configuration", TextTable::Align::left});
  TextTable table(std::move(columns));
  for (const Trial* trial : front) {
    std::vector<std::string> cells;
    for (const Objective& objective : results.info.objectives)
      cells.push_back(fmt::format("{:.6g}", value_of(trial->observation, objective.metric).value_or(0.0)));
    cells.push_back(trial->configuration.to_string());
    table.add_row(std::move(cells));
  }
  return table.to_string(width);
}

}  // namespace wattune::report
