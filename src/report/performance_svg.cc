#include <algorithm>

#include "report/line_chart.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

// The lower end of the plot. Performance below this end is drawn at the end, since differences so far below random
// search do not matter.
constexpr double kLowest = -1.0;
constexpr std::size_t kDrawnPoints = 250;

LineChart::Curve thinned(const PerformanceCurve& curve) {
  LineChart::Curve result{.name = curve.name, .points = {}};
  if (curve.values.size() < 2) return result;
  const std::size_t stride = std::max<std::size_t>(1, curve.values.size() / kDrawnPoints);
  for (std::size_t k = 0; k < curve.values.size(); k += stride)
    result.points.emplace_back(static_cast<double>(k) / static_cast<double>(curve.values.size() - 1), curve.values[k]);
  return result;
}

}  // namespace

std::string plot_performance_svg(const std::string& title, const std::vector<PerformanceCurve>& curves) {
  LineChart chart{.title = title,
                  .x_label = "share of the measured time",
                  .y_label = "performance (0 random search, 1 optimum)",
                  .dashed_zero = true,
                  .curves = {}};
  for (const PerformanceCurve& curve : curves) {
    chart.curves.push_back(thinned(curve));
    for (const double value : curve.values) chart.low = std::min(chart.low, std::max(value, kLowest));
  }
  return draw_line_chart(chart);
}

std::string plot_amortization_svg(const std::string& title, const std::vector<PerformanceCurve>& curves) {
  LineChart chart{.title = title,
                  .x_label = "share of the time",
                  .y_label = "share of the optimum, overhead included",
                  .percent = true,
                  .curves = {}};
  for (const PerformanceCurve& curve : curves) chart.curves.push_back(thinned(curve));
  return draw_line_chart(chart);
}

}  // namespace wattune::report
