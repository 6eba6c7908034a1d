#include <algorithm>
#include <cmath>

#include "report/interface/gain_plot.h"
#include "report/line_chart.h"

namespace wattune::inline v0_1::report {

namespace {

// Returns the lower end of the axis: the largest multiple of a tenth, at most 0, that is not larger than any gain.
double lowest_tenth(const GainPlot& plot) {
  double low = 0.0;
  for (const GainPlot::Curve& curve : plot.sharing)
    for (const auto& [share, gain] : curve.points) low = std::min(low, gain);
  for (const GainPlot::Baseline& baseline : plot.baselines) low = std::min(low, baseline.gain);
  return std::floor(low * 10.0) / 10.0;
}

}  // namespace

std::string plot_gain_svg(const GainPlot& plot) {
  LineChart chart{.title = plot.title,
                  .x_label = "share of " + plot.first + ": of the blocks on each SM, or of the SMs",
                  .y_label = "gain over one after the other",
                  .low = lowest_tenth(plot),
                  .percent = true,
                  .dashed_zero = true,
                  .curves = {}};
  for (const GainPlot::Curve& curve : plot.sharing) chart.curves.push_back({curve.name, curve.points});
  for (const GainPlot::Baseline& baseline : plot.baselines)
    chart.curves.push_back({baseline.name, {{0.0, baseline.gain}, {1.0, baseline.gain}}});
  return draw_line_chart(chart);
}

}  // namespace wattune::report
