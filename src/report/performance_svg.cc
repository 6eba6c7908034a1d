#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

constexpr const char* kStyle =
    ".random{stroke:#7b8088;stroke-width:1.5;stroke-dasharray:6 4}"
    ".curve{stroke-width:2;fill:none}";
constexpr std::array kColours = {"#d9730d", "#3b82c4", "#3f9b57", "#a35bc2",
                                 "#c43b4f", "#8a7a2b", "#2a9a9a", "#7b8088"};

constexpr double kWidth = 760, kLeft = 76, kRight = 736, kTop = 48, kBottom = 388;
constexpr double kLegendTop = kBottom + 64, kLegendLine = 18;
// What lies deeper is cut off: far below random search the difference does not matter.
constexpr double kLowest = -1.0;
constexpr std::size_t kDrawnPoints = 250;

class Picture {
 public:
  Picture(const std::string& title, const std::vector<PerformanceCurve>& curves)
      : title_(title),
        curves_(curves),
        performance_(Axis::linear(lowest(curves), 1.0)),
        svg_(kWidth, kLegendTop + kLegendLine * static_cast<double>(curves.size()), kStyle) {}

  std::string draw() {
    svg_.add("<text class=\"title\" x=\"{}\" y=\"26\">{}</text>\n", kLeft, xml_text(cut(title_, 80)));
    draw_axes();
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_curve(curves_[i], i);
    return svg_.finish();
  }

 private:
  static double lowest(const std::vector<PerformanceCurve>& curves) {
    double low = 0.0;
    for (const PerformanceCurve& curve : curves)
      for (const double value : curve.values) low = std::min(low, value);
    return std::max(low, kLowest);
  }

  static double x_of(double share) { return kLeft + share * (kRight - kLeft); }
  double y_of(double value) const {
    return kBottom - performance_.position(std::clamp(value, kLowest, 1.0)) * (kBottom - kTop);
  }

  void draw_axes() {
    for (const double tick : performance_.ticks(8)) {
      svg_.add("<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
               tick == 0.0 ? "random" : "grid", kLeft, kRight, y_of(tick), y_of(tick));
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_of(tick) + 4,
               tick_text(tick));
    }
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.0f} %</text>\n", x_of(share), kBottom + 19,
               100.0 * share);
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">share of the measured time</text>\n", (kLeft + kRight) / 2,
             kBottom + 40);
    svg_.add(
        "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">performance (0 random search, 1 "
        "optimum)</text>\n",
        (kTop + kBottom) / 2);
  }

  void draw_curve(const PerformanceCurve& curve, std::size_t number) {
    const char* colour = kColours[number % kColours.size()];
    const double y = kLegendTop + kLegendLine * static_cast<double>(number);
    svg_.add("<text x=\"{}\" y=\"{}\" style=\"fill:{}\">━ {}</text>\n", kLeft, y, colour,
             xml_text(cut(curve.name, 80)));
    if (curve.values.size() < 2) return;
    const std::size_t stride = std::max<std::size_t>(1, curve.values.size() / kDrawnPoints);
    std::string path;
    for (std::size_t k = 0; k < curve.values.size(); k += stride)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                          x_of(static_cast<double>(k) / static_cast<double>(curve.values.size() - 1)),
                          y_of(curve.values[k]));
    svg_.add("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", colour, path);
  }

  const std::string& title_;
  const std::vector<PerformanceCurve>& curves_;
  Axis performance_;
  Svg svg_;
};

}  // namespace

std::string plot_performance_svg(const std::string& title, const std::vector<PerformanceCurve>& curves) {
  return Picture(title, curves).draw();
}

}  // namespace wattune::report
