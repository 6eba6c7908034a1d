#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

#include "report/interface/energy_plot.h"
#include "report/interface/text.h"
#include "report/plot_frame.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr const char* kEnergyStyle =
    ".dots{stroke:#0072b2;stroke-width:6;stroke-linecap:round}"
    ".faint{stroke-opacity:.35;stroke-width:4}"
    ".curve{stroke:#d55e00;stroke-width:2;fill:none}"
    ".ridge{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:6 4}"
    ".likely{fill:#d55e00;fill-opacity:.2}"
    ".band{fill-opacity:.18}";
constexpr const char* kDots = "#0072b2";
constexpr const char* kFaintDots = "#7fb2d6";
constexpr std::array kBandColours = {"#009e73", "#e69f00", "#56b4e9"};
constexpr double kEnergyLeft = 90;
constexpr double kFirstLine = 48,
                 kTextLine = 19;                  // height of a line of the legend and of a note
constexpr double kPlotHeight = 332, kBelow = 56;  // height of the plot, and of the space for its axis below
constexpr double kLegendLetter = 6.6;             // width of a letter in the legend
constexpr std::size_t kColumns = 86;              // columns of text in a line of a note
constexpr double kGap = 16;                       // gap between entries of the legend
constexpr double kEnergyMargin = 0.05;            // margin below and above the energies, as a share of their range

EnergyPlot::Points drawable(EnergyPlot::Points points) {
  std::erase_if(points, [](const auto& point) { return !std::isfinite(point.first) || !std::isfinite(point.second); });
  return points;
}

struct LegendEntry {
  std::string text;
  std::string colour;
};

double room_of(const LegendEntry& entry) { return kLegendLetter * static_cast<double>(width_of(entry.text)); }

// Distributes the entries of the legend to lines, so that each line is as full as possible.
std::vector<std::vector<LegendEntry>> in_lines(const std::vector<LegendEntry>& entries) {
  std::vector<std::vector<LegendEntry>> lines;
  double end = 0.0;
  for (const LegendEntry& each : entries) {
    if (lines.empty() || end + room_of(each) > kChartRight - kEnergyLeft) {
      lines.emplace_back();
      end = 0.0;
    }
    lines.back().push_back(each);
    end += room_of(each) + kGap;
  }
  return lines;
}

std::vector<std::string> lines_of(const std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  for (const std::string& note : notes) {
    std::istringstream text(wrapped(note, kColumns));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  }
  return lines;
}

std::vector<EnergyPlot::Range> drawable(std::vector<EnergyPlot::Range> ranges) {
  std::erase_if(ranges, [](const EnergyPlot::Range& each) {
    return !std::isfinite(each.clock) || !std::isfinite(each.low) || !std::isfinite(each.high);
  });
  return ranges;
}

class EnergyPicture {
 public:
  EnergyPicture(const EnergyPlot& plot, EnergyPlot::Points measured, EnergyPlot::Points curve)
      : plot_(plot),
        measured_(std::move(measured)),
        fitted_to_(drawable(plot.fitted_to)),
        curve_(std::move(curve)),
        likely_(drawable(plot.likely)),
        legend_(in_lines(legend())),
        top_(kFirstLine + kTextLine * static_cast<double>(legend_.size()) + 5),
        bottom_(top_ + kPlotHeight),
        notes_(lines_of(plot.notes)),
        svg_(kChartWidth, bottom_ + kBelow + kTextLine * static_cast<double>(notes_.size()), kEnergyStyle),
        frame_{kEnergyLeft, top_, bottom_, axis(&PlotPoint::first, 0.0), axis(&PlotPoint::second, kEnergyMargin)} {}

  std::string draw() {
    draw_titles();
    for (std::size_t i = 0; i < plot_.bands.size(); ++i) draw_band(plot_.bands[i], colour_of(i));
    frame_.draw(svg_, "clock (MHz)", "energy (J)");
    if (plot_.ridge && is_drawn(*plot_.ridge))
      svg_.add("<line class=\"ridge\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
               frame_.x_of(*plot_.ridge), top_, bottom_);
    svg_.add("<path class=\"{}\" d=\"{}\"/>\n", fitted_to_.empty() ? "dots" : "dots faint", frame_.dots(measured_));
    if (!likely_.empty()) svg_.add("<path class=\"likely\" d=\"{}\"/>\n", around());
    svg_.add("<path class=\"curve\" d=\"{}\"/>\n", frame_.line(curve_));
    if (!fitted_to_.empty()) svg_.add("<path class=\"dots\" d=\"{}\"/>\n", frame_.dots(fitted_to_));
    draw_notes();
    return svg_.finish();
  }

 private:
  static const char* colour_of(std::size_t band) { return kBandColours[band % kBandColours.size()]; }

  Axis axis(double PlotPoint::*coordinate, double margin) const {
    std::vector<double> values;
    for (const EnergyPlot::Points* points : {&measured_, &fitted_to_, &curve_})
      for (const auto& point : *points) values.push_back(point.*coordinate);
    const auto [low, high] = std::ranges::minmax(values);
    const double beside = margin * (high - low);
    return Axis::linear(low - beside, high + beside);
  }

  double y_of_visible(double energy) const { return std::clamp(frame_.y_of(energy), top_, bottom_); }
  bool is_drawn(double clock) const { return frame_.x.position(clock) >= 0.0 && frame_.x.position(clock) <= 1.0; }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> entries = {{"● " + plot_.origin, fitted_to_.empty() ? kDots : kFaintDots}};
    if (!fitted_to_.empty()) entries.push_back({"● " + plot_.fitted_to_name, kDots});
    if (!curve_.empty()) entries.push_back({"━ " + plot_.curve_name, "#d55e00"});
    if (!likely_.empty()) entries.push_back({"▒ " + plot_.likely_name, "#d55e00"});
    if (plot_.ridge) entries.push_back({fmt::format("┅ ridge, {:.0f} MHz", *plot_.ridge), "#d55e00"});
    for (std::size_t i = 0; i < plot_.bands.size(); ++i) entries.push_back({"■ " + plot_.bands[i].name, colour_of(i)});
    return entries;
  }

  void draw_titles() {
    svg_.add_title(kEnergyLeft, kChartRight, plot_.title);
    double y = kFirstLine;
    for (const std::vector<LegendEntry>& entries : legend_) {
      svg_.add("<text x=\"{}\" y=\"{}\">", kEnergyLeft, y);
      for (const LegendEntry& each : entries)
        svg_.add("<tspan{} fill=\"{}\">{}</tspan>", &each == &entries.front() ? "" : fmt::format(" dx=\"{}\"", kGap),
                 each.colour, xml_text(each.text));
      svg_.add("</text>\n");
      y += kTextLine;
    }
  }

  void draw_notes() {
    double y = bottom_ + kBelow;
    for (const std::string& note : notes_) {
      svg_.add("<text x=\"{}\" y=\"{}\">{}</text>\n", kEnergyLeft, y, xml_text(note));
      y += kTextLine;
    }
  }

  void draw_band(const EnergyPlot::Band& band, const char* colour) {
    const double left = x_of_visible(band.low);
    const double right = x_of_visible(band.high);
    svg_.add("<rect class=\"band\" fill=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n", colour, left,
             top_, std::max(0.0, right - left), kPlotHeight);
  }
  double x_of_visible(double clock) const { return std::clamp(frame_.x_of(clock), kEnergyLeft, kChartRight); }

  // Returns the outline of the likely area, which goes along its top and back along its bottom. It is cut off at the
  // edge of the picture.
  std::string around() const {
    std::string path;
    const auto add = [&](double clock, double energy) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame_.x_of(clock), y_of_visible(energy));
    };
    for (const EnergyPlot::Range& each : likely_) add(each.clock, each.high);
    for (auto each = likely_.rbegin(); each != likely_.rend(); ++each) add(each->clock, each->low);
    return path + "Z";
  }

  const EnergyPlot& plot_;
  EnergyPlot::Points measured_;
  EnergyPlot::Points fitted_to_;
  EnergyPlot::Points curve_;
  std::vector<EnergyPlot::Range> likely_;
  std::vector<std::vector<LegendEntry>> legend_;
  double top_;
  double bottom_;
  std::vector<std::string> notes_;
  Svg svg_;
  PlotFrame frame_;
};

std::string nothing_to_draw() {
  Svg svg(kChartWidth, kPlotHeight, kEnergyStyle);
  svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">no clock has an energy</text>\n", kChartWidth / 2,
          kPlotHeight / 2);
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
