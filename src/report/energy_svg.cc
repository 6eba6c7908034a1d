// Energy against clock: every configuration, and the least at each clock.
#include <algorithm>
#include <set>

#include "report/axis.h"
#include "report/svg.h"
#include "report/trials.h"
#include "wattune/core/energy.h"
#include "wattune/report/analysis.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

constexpr const char* kStyle =
    ".dots{stroke:#56b4e9;stroke-opacity:.6;stroke-width:4;stroke-linecap:round}"
    ".least{stroke:#d55e00;stroke-width:8;stroke-linecap:round}"
    ".line{stroke:#d55e00;stroke-width:1.5;fill:none}";
constexpr double kWidth = 760, kHeight = 460, kLeft = 90, kRight = 736, kTop = 72, kBottom = 404;
constexpr double kInset = 0.03;  // of the width: clocks at the ends stand off the frame
constexpr double kFar = 1.5;

struct Point {
  double clock;
  double energy;
};

class Picture {
 public:
  Picture(const ResultSet& results, const std::vector<AtClock>& clocks) : title_(name_of(results.info)) {
    for (const AtClock& each : clocks)
      least_.push_back({each.clock.value(), energy_of(each.least->observation)->value()});
    const double most = kFar * std::ranges::max_element(least_, {}, &Point::energy)->energy;
    for (const Trial* trial : ranked(results)) {
      const auto clock = graphics_clock_of(trial->configuration, results.info.parameters);
      const auto energy = energy_of(trial->observation);
      if (!clock || !energy) continue;
      if (energy->value() > most)
        ++far_;
      else
        all_.push_back({clock->value(), energy->value()});
    }
    x_ = Axis::linear(least_.front().clock, least_.back().clock);
    y_ = Axis::of_times(std::ranges::min_element(all_, {}, &Point::energy)->energy,
                        std::ranges::max_element(all_, {}, &Point::energy)->energy);
  }

  std::string draw() {
    draw_titles();
    draw_axes();
    svg_.add("<path class=\"dots\" d=\"{}\"/>\n", dots(all_));
    std::string line;
    for (const Point& point : least_) line += at(line.empty() ? "M" : "L", point);
    svg_.add("<path class=\"line\" d=\"{}\"/>\n", line);
    svg_.add("<path class=\"least\" d=\"{}\"/>\n", dots(least_));
    return svg_.finish();
  }

 private:
  double x_of(double clock) const {
    return kLeft + (kInset + (1.0 - 2.0 * kInset) * x_.position(clock)) * (kRight - kLeft);
  }
  double y_of(double energy) const { return kBottom - y_.position(energy) * (kBottom - kTop); }

  void draw_titles() {
    svg_.add_title(kLeft, kRight, title_ + ": energy against clock");
    svg_.add(
        "<text x=\"{}\" y=\"48\"><tspan fill=\"#d55e00\">● least at each clock</tspan>"
        "<tspan dx=\"14\" fill=\"#56b4e9\">● a configuration</tspan><tspan dx=\"14\">{}</tspan></text>\n",
        kLeft,
        far_ == 0 ? "" : fmt::format("{} that take more than {} times as much as the least are not drawn", far_, kFar));
  }

  void draw_axes() {
    for (const double tick : y_.ticks(7)) {
      svg_.add("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kRight, y_of(tick),
               y_of(tick));
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_of(tick) + 4,
               tick_text(tick));
    }
    for (const double tick : x_.ticks(8)) {
      svg_.add("<line class=\"frame\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x_of(tick), kBottom,
               kBottom + 5);
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(tick), kBottom + 19,
               tick_text(tick));
    }
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">graphics clock (MHz)</text>\n", (kLeft + kRight) / 2,
             kHeight - 14);
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">energy (J)</text>\n",
             (kTop + kBottom) / 2);
  }

  std::string at(const char* command, const Point& point) const {
    return fmt::format("{}{:.1f} {:.1f}", command, x_of(point.clock), y_of(point.energy));
  }

  // A dot on top of another is left out, which bounds the file's size.
  std::string dots(const std::vector<Point>& points) const {
    std::set<std::string> drawn;
    std::string path;
    for (const Point& point : points) {
      const std::string dot = at("M", point);
      if (drawn.insert(dot).second) path += dot + "h0";
    }
    return path;
  }

  std::string title_;
  std::vector<Point> all_;
  std::vector<Point> least_;  // ascending by clock
  std::size_t far_ = 0;       // not drawn
  Axis x_ = Axis::linear(0.0, 1.0);
  Axis y_ = Axis::linear(0.0, 1.0);
  Svg svg_{kWidth, kHeight, kStyle};
};

}  // namespace

std::string plot_energy_svg(const ResultSet& results) {
  const std::vector<AtClock> clocks = by_clock(results);
  return clocks.empty() ? std::string() : Picture(results, clocks).draw();
}

}  // namespace wattune::report
