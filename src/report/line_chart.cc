#include "report/line_chart.h"

#include <algorithm>
#include <array>

#include "report/axis.h"
#include "report/interface/text.h"
#include "report/svg.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::array kDashes = {"none", "7 3", "2 3"};

class LineChartDrawing {
 public:
  explicit LineChartDrawing(const LineChart& chart)
      : chart_(chart),
        axis_(Axis::linear(chart.low, 1.0)),
        svg_(kChartWidth, kLegendTop + kLegendLine * static_cast<double>(chart.curves.size()), kStyle) {}

  std::string draw() {
    svg_.add_title(kLeft, kChartRight, chart_.title);
    draw_grid();
    draw_frame();
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) draw_curve(chart_.curves[i], i);
    return svg_.finish();
  }

 private:
  static double x_of(double share) { return kLeft + share * (kChartRight - kLeft); }
  double y_of(double value) const {
    return kBottom - axis_.position(std::clamp(value, chart_.low, 1.0)) * (kBottom - kTop);
  }

  void draw_grid() {
    for (const double tick : axis_.ticks(8)) {
      svg_.add("<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
               chart_.dashed_zero && tick == 0.0 ? "zero" : "grid", kLeft, kChartRight, y_of(tick), y_of(tick));
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_of(tick) + 4,
               chart_.percent ? tick_text(100.0 * tick) + " %" : tick_text(tick));
    }
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.0f} %</text>\n", x_of(share), kBottom + 19,
               100.0 * share);
  }

  void draw_frame() {
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kChartRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kChartRight) / 2, kBottom + 40,
             xml_text(chart_.x_label));
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
             (kTop + kBottom) / 2, xml_text(chart_.y_label));
  }

  void draw_curve(const LineChart::Curve& curve, std::size_t number) {
    const std::string stroke =
        fmt::format("stroke=\"{}\" stroke-dasharray=\"{}\"", kSeriesColours[number % kSeriesColours.size()],
                    kDashes[std::min(number / kSeriesColours.size(), kDashes.size() - 1)]);
    const double y = kLegendTop + kLegendLine * static_cast<double>(number);
    svg_.add("<path class=\"curve\" {} d=\"M{} {}h{}\"/>\n", stroke, kLeft, y - 4, kSample);
    svg_.add("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + kSample + 8, y, xml_text(cut(curve.name, 80)));
    std::string path;
    for (const auto& [x, value] : curve.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(x), y_of(value));
    if (!path.empty()) svg_.add("<path class=\"curve\" {} d=\"{}\"/>\n", stroke, path);
  }

  static constexpr const char* kStyle =
      ".zero{stroke:#7b8088;stroke-width:1.5;stroke-dasharray:6 4}"
      ".curve{stroke-width:2;fill:none}";
  static constexpr double kLeft = 76, kTop = 48, kBottom = 388;
  static constexpr double kLegendTop = kBottom + 64, kLegendLine = 18, kSample = 24;

  const LineChart& chart_;
  Axis axis_;
  Svg svg_;
};

}  // namespace

std::string draw_line_chart(const LineChart& chart) { return LineChartDrawing(chart).draw(); }

}  // namespace wattune::report
