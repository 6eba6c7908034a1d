#include <fmt/format.h>

#include "report/interface/analysis.h"
#include "report/interface/trials.h"
#include "report/line_chart.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr double kSteps = 400;  // finer steps are hardly visible

// Returns a curve of shares over speeds, from the best speed down. It is the share of all configurations that are at
// least as fast. Failed configurations count as slower than any speed.
LineChart::Curve curve_of(const ResultSet& results, const std::string& name) {
  const std::vector<double> objectives = searched_objectives(results);
  const Distribution counts = distribution_of(results);
  const auto all = static_cast<double>(counts.correct + counts.failed);
  LineChart::Curve curve{.name = fmt::format("{}: {} correct, {} failed", name, counts.correct, counts.failed),
                         .points = {}};
  if (objectives.empty()) return curve;
  double last = 2.0;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const double speed = gain(objectives[i], objectives.front()).value_or(0.0);
    if (i + 1 < objectives.size() && last - speed < 1.0 / kSteps) continue;
    if (!curve.points.empty()) curve.points.emplace_back(speed, curve.points.back().second);
    curve.points.emplace_back(speed, static_cast<double>(i + 1) / all);
    last = speed;
  }
  curve.points.emplace_back(0.0, curve.points.back().second);
  return curve;
}

}  // namespace

std::string plot_distribution_svg(const std::vector<ResultSet>& results, const std::vector<std::string>& names) {
  LineChart chart{.title = "Distribution of the performance",
                  .x_label = "performance in the search, as a share of the best",
                  .y_label = "configurations that reach it",
                  .percent = true,
                  .curves = {}};
  for (std::size_t i = 0; i < results.size(); ++i) chart.curves.push_back(curve_of(results[i], names[i]));
  return draw_line_chart(chart);
}

}  // namespace wattune::report
