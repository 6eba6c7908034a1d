#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "wattune/report/energy_plot.h"

namespace wattune::report {

namespace {

constexpr const char* kStyle =
    ".dots{stroke:#0072b2;stroke-width:6;stroke-linecap:round}"
    ".curve{stroke:#d55e00;stroke-width:2;fill:none}"
    ".ridge{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:6 4}"
    ".band{fill-opacity:.18}";
constexpr std::array kBandColours = {"#009e73", "#e69f00", "#56b4e9"};
constexpr double kWidth = 760, kHeight = 460, kLeft = 90, kRight = 736, kTop = 72, kBottom = 404;
constexpr double kMargin = 0.05;  // of the energies, below and above

EnergyPlot::Points drawable(EnergyPlot::Points points) {
  std::erase_if(points, [](const auto& point) { return !std::isfinite(point.first) || !std::isfinite(point.second); });
  return points;
}

class EnergyPicture {
 public:
  EnergyPicture(const EnergyPlot& plot, EnergyPlot::Points measured, EnergyPlot::Points curve)
      : plot_(plot),
        measured_(std::move(measured)),
        curve_(std::move(curve)),
        clocks_(axis(&std::pair<double, double>::first, 0.0)),
        energies_(axis(&std::pair<double, double>::second, kMargin)) {}

  std::string draw() {
    draw_titles();
    for (std::size_t i = 0; i < plot_.bands.size(); ++i) draw_band(plot_.bands[i], colour_of(i));
    draw_axes();
    svg_.add("<path class=\"curve\" d=\"{}\"/>\n", line());
    if (plot_.ridge && is_drawn(*plot_.ridge))
      svg_.add("<line class=\"ridge\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x_of(*plot_.ridge),
               kTop, kBottom);
    svg_.add("<path class=\"dots\" d=\"{}\"/>\n", dots());
    return svg_.finish();
  }

 private:
  static const char* colour_of(std::size_t band) { return kBandColours[band % kBandColours.size()]; }

  Axis axis(double std::pair<double, double>::*coordinate, double margin) const {
    std::vector<double> values;
    for (const EnergyPlot::Points* points : {&measured_, &curve_})
      for (const auto& point : *points) values.push_back(point.*coordinate);
    const auto [low, high] = std::ranges::minmax(values);
    const double beside = margin * (high - low);
    return Axis::linear(low - beside, high + beside);
  }

  double x_of(double clock) const { return kLeft + clocks_.position(clock) * (kRight - kLeft); }
  double y_of(double energy) const { return kBottom - energies_.position(energy) * (kBottom - kTop); }
  bool is_drawn(double clock) const { return clocks_.position(clock) >= 0.0 && clocks_.position(clock) <= 1.0; }

  void draw_titles() {
    svg_.add_title(kLeft, kRight, plot_.title);
    svg_.add("<text x=\"{}\" y=\"48\"><tspan fill=\"#0072b2\">● {}</tspan>", kLeft, xml_text(plot_.origin));
    if (!curve_.empty()) svg_.add("<tspan dx=\"14\" fill=\"#d55e00\">━ {}</tspan>", xml_text(plot_.curve_name));
    if (plot_.ridge) svg_.add("<tspan dx=\"14\" fill=\"#d55e00\">┅ ridge, {:.0f} MHz</tspan>", *plot_.ridge);
    for (std::size_t i = 0; i < plot_.bands.size(); ++i)
      svg_.add("<tspan dx=\"14\" fill=\"{}\">■ {}</tspan>", colour_of(i), xml_text(plot_.bands[i].name));
    svg_.add("</text>\n");
  }

  void draw_band(const EnergyPlot::Band& band, const char* colour) {
    const double left = x_of_visible(band.low);
    const double right = x_of_visible(band.high);
    svg_.add("<rect class=\"band\" fill=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n", colour, left,
             kTop, std::max(0.0, right - left), kBottom - kTop);
  }
  double x_of_visible(double clock) const { return std::clamp(x_of(clock), kLeft, kRight); }

  void draw_axes() {
    for (const double tick : energies_.ticks(7)) {
      svg_.add("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kRight, y_of(tick),
               y_of(tick));
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_of(tick) + 4,
               tick_text(tick));
    }
    for (const double tick : clocks_.ticks(8)) {
      svg_.add("<line class=\"frame\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x_of(tick), kBottom,
               kBottom + 5);
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(tick), kBottom + 19,
               tick_text(tick));
    }
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">clock (MHz)</text>\n", (kLeft + kRight) / 2, kHeight - 14);
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">energy (J)</text>\n",
             (kTop + kBottom) / 2);
  }

  std::string line() const {
    std::string path;
    for (const auto& [clock, energy] : curve_)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(clock), y_of(energy));
    return path;
  }
  // A dot on top of another is left out, which bounds the file's size.
  std::string dots() const {
    std::set<std::string> drawn;
    std::string path;
    for (const auto& [clock, energy] : measured_) {
      const std::string dot = fmt::format("M{:.1f} {:.1f}h0", x_of(clock), y_of(energy));
      if (drawn.insert(dot).second) path += dot;
    }
    return path;
  }

  const EnergyPlot& plot_;
  EnergyPlot::Points measured_;
  EnergyPlot::Points curve_;
  Axis clocks_;
  Axis energies_;
  Svg svg_{kWidth, kHeight, kStyle};
};

std::string nothing_to_draw() {
  Svg svg(kWidth, kHeight, kStyle);
  svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">no clock has an energy</text>\n", kWidth / 2, kHeight / 2);
  return svg.finish();
}

}  // namespace

std::string plot_energy_svg(const EnergyPlot& plot) {
  EnergyPlot::Points measured = drawable(plot.measured);
  EnergyPlot::Points curve = drawable(plot.curve);
  if (measured.empty() && curve.empty()) return nothing_to_draw();
  return EnergyPicture(plot, std::move(measured), std::move(curve)).draw();
}

}  // namespace wattune::report
