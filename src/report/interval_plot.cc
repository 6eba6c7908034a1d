#include "report/interface/interval_plot.h"

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/interface/text.h"
#include "report/svg.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr double kNamesRight = 250, kLinesTop = 16, kLineHeight = 26, kAxisRoom = 52;
constexpr std::size_t kLongestLineName = 36;
constexpr std::string_view kIntervalStyle =
    ".range{stroke:#0072b2;stroke-width:3}"
    ".mark{fill:#d55e00}";

Axis axis_around(const std::vector<IntervalLine>& lines) {
  double low = lines.front().low;
  double high = lines.front().high;
  for (const IntervalLine& line : lines) {
    low = std::min(low, line.low);
    high = std::max(high, line.high);
  }
  const double room = high > low ? 0.06 * (high - low) : std::max(0.05 * std::abs(low), 1e-9);
  return Axis::linear(low - room, high + room);
}

}  // namespace

std::string draw_intervals(const std::vector<IntervalLine>& all, std::string_view label) {
  std::vector<IntervalLine> lines = all;
  std::erase_if(lines, [](const IntervalLine& line) {
    return !std::isfinite(line.low) || !std::isfinite(line.high) || !std::isfinite(line.value);
  });
  if (lines.empty()) return {};
  const Axis axis = axis_around(lines);
  const auto x_of = [&](double value) { return kNamesRight + axis.position(value) * (kChartRight - kNamesRight); };
  const double bottom = kLinesTop + kLineHeight * static_cast<double>(lines.size());
  Svg svg(kChartWidth, bottom + kAxisRoom, kIntervalStyle);
  for (const double tick : axis.ticks(6)) {
    svg.add("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x_of(tick), kLinesTop,
            bottom);
    svg.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(tick), bottom + 18, tick_text(tick));
  }
  double y = kLinesTop + kLineHeight / 2;
  for (const IntervalLine& line : lines) {
    svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kNamesRight - 10, y + 4,
            xml_text(cut(line.name, kLongestLineName)));
    svg.add("<path class=\"range\" d=\"M{:.1f} {}H{:.1f}\"/>\n", x_of(line.low), y, x_of(line.high));
    svg.add("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{}\" r=\"5\"/>\n", x_of(line.value), y);
    y += kLineHeight;
  }
  svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kNamesRight + kChartRight) / 2, bottom + 40,
          xml_text(label));
  return svg.finish();
}

}  // namespace wattune::report
