#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/svg.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

// Draws a bar for each parameter. The largest share has the longest bar. An unknown share has no bar.
std::string plot_importance_svg(const ResultSet& results) {
  constexpr double kMargin = 24, kLeft = 210, kLongest = 460, kTop = 56, kLine = 24, kThick = 16;
  const std::vector<Importance> parameters = parameter_importance(results);
  const double largest = parameters.empty() ? 0.0 : parameters.front().main_effect.value_or(0.0);
  Svg svg(kChartWidth, kTop + kLine * static_cast<double>(parameters.size() + 1), ".bar{fill:#0072b2}");
  svg.add_title(kMargin, kChartWidth - kMargin,
                cut(name_of(results.info), kLongestName) + ": share of the variance of log(time)");
  double y = kTop;
  for (const Importance& each : parameters) {
    const double length = largest > 0.0 ? kLongest * each.main_effect.value_or(0.0) / largest : 0.0;
    const std::string share = each.main_effect ? fmt::format("{:.1f} %", 100.0 * *each.main_effect) : "?";
    svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 12,
            xml_text(cut(each.parameter, 26)));
    svg.add("<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n", kLeft, y, length, kThick);
    svg.add("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", kLeft + length + 6, y + 12, share);
    y += kLine;
  }
  return svg.finish();
}

}  // namespace wattune::report
