#include "report/plot_frame.h"

#include <set>

#include "report/interface/text.h"

namespace wattune::inline v0_1::report {

void PlotFrame::draw(Svg& svg, std::string_view x_name, std::string_view y_name) const {
  for (const double tick : y.ticks(7)) {
    svg.add("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", left, kChartRight,
            y_of(tick));
    svg.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y_of(tick) + 4, tick_text(tick));
  }
  for (const double tick : x.ticks(8)) {
    svg.add("<line class=\"frame\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x_of(tick), bottom,
            bottom + 5);
    svg.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(tick), bottom + 19, tick_text(tick));
  }
  svg.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", left, top, bottom, kChartRight);
  svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (left + kChartRight) / 2, bottom + 40,
          xml_text(x_name));
  svg.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", (top + bottom) / 2,
          xml_text(y_name));
}

std::string PlotFrame::line(std::span<const PlotPoint> points) const {
  std::string path;
  for (const auto& [at_x, at_y] : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(at_x), y_of(at_y));
  return path;
}

std::string PlotFrame::dots(std::span<const PlotPoint> points) const {
  std::set<std::string> drawn;
  std::string path;
  for (const auto& [at_x, at_y] : points) {
    const std::string dot = fmt::format("M{:.1f} {:.1f}h0", x_of(at_x), y_of(at_y));
    if (drawn.insert(dot).second) path += dot;
  }
  return path;
}

}  // namespace wattune::report
