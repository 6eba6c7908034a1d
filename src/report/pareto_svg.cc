#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/time_text.h"
#include "report/trials.h"
#include "wattune/core/pareto.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

struct PlotPoint {
  double x;
  double y;
};

// Seconds by the unit that suits them, other metrics in their own.
struct Scale {
  Axis axis;
  double per_unit;
  std::string label;
};

std::string unit_of(const ResultSet& results, const std::string& metric) {
  for (const Trial& trial : results.trials)
    for (const Metric& each : trial.observation.metrics)
      if (each.name == metric) return each.unit;
  return {};
}

class ParetoPicture {
 public:
  ParetoPicture(const ResultSet& results, const std::vector<const Trial*>& front) : results_(results) {
    for (const Trial* trial : ranked(results))
      if (const auto point = point_of(*trial)) all_.push_back(*point);
    for (const Trial* trial : front)
      if (const auto point = point_of(*trial)) front_.push_back(*point);
    std::ranges::sort(front_, {}, &PlotPoint::x);
    far_ = std::erase_if(all_, [&](const PlotPoint& point) {
      return is_far(0, &PlotPoint::x, point) || is_far(1, &PlotPoint::y, point);
    });
  }

  std::string draw() {
    const Scale x = scale(0, &PlotPoint::x);
    const Scale y = scale(1, &PlotPoint::y);
    draw_titles();
    draw_axes(x, y);
    svg_.add("<path class=\"dots\" d=\"{}\"/>\n", dots(all_, x, y));
    std::string line;
    for (const PlotPoint& point : front_) line += at(line.empty() ? "M" : "L", point, x, y);
    svg_.add("<path class=\"line\" d=\"{}\"/>\n", line);
    svg_.add("<path class=\"front\" d=\"{}\"/>\n", dots(front_, x, y));
    return svg_.finish();
  }

 private:
  std::optional<PlotPoint> point_of(const Trial& trial) const {
    const auto x = value_of(trial.observation, results_.info.objectives[0].metric);
    const auto y = value_of(trial.observation, results_.info.objectives[1].metric);
    if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y)) return std::nullopt;
    return PlotPoint{*x, *y};
  }

  // Beyond every point of the front by so much that drawing it would only make the front smaller.
  bool is_far(std::size_t objective, double PlotPoint::*coordinate, const PlotPoint& point) const {
    const auto [low, high] = std::ranges::minmax_element(front_, {}, coordinate);
    if ((*low).*coordinate <= 0.0) return false;
    return results_.info.objectives[objective].maximize ? kFar * point.*coordinate < (*low).*coordinate
                                                        : point.*coordinate > kFar * ((*high).*coordinate);
  }

  Scale scale(std::size_t objective, double PlotPoint::*coordinate) const {
    const Objective& wanted = results_.info.objectives[objective];
    const auto [low, high] = std::ranges::minmax_element(all_, {}, coordinate);
    const double least = (*low).*coordinate;
    const double most = (*high).*coordinate;
    std::string unit = unit_of(results_, wanted.metric);
    double per_unit = 1.0;
    if (wanted.metric == "time") {
      const TimeUnit suited = unit_for(nanoseconds_from_seconds(least));
      unit = suited.name;
      per_unit = suited.nanoseconds / nanoseconds_from_seconds(1).value();
    }
    const std::string label = wanted.metric + (unit.empty() ? "" : " (" + unit + ")") +
                              (wanted.maximize ? ", more is better" : ", less is better");
    const bool positive_only = least > 0.0;
    return {positive_only ? Axis::of_times(least / per_unit, most / per_unit) : Axis::linear(least, most), per_unit,
            label};
  }

  void draw_titles() {
    svg_.add_title(kLeft, kChartRight, name_of(results_.info) + ": Pareto front");
    svg_.add(
        "<text x=\"{}\" y=\"48\"><tspan fill=\"#d55e00\">● Pareto front, {}</tspan>"
        "<tspan dx=\"14\" fill=\"#56b4e9\">● a configuration</tspan><tspan dx=\"14\">{}</tspan></text>\n",
        kLeft, front_.size(), far_ == 0 ? "" : fmt::format("{} worse by more than {} times are not drawn", far_, kFar));
  }

  void draw_axes(const Scale& x, const Scale& y) {
    for (const double tick : y.axis.ticks(7)) {
      const double height = kBottom - y.axis.position(tick) * (kBottom - kTop);
      svg_.add("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kChartRight, height,
               height);
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, height + 4, tick_text(tick));
    }
    for (const double tick : x.axis.ticks(8)) {
      const double place = kLeft + x.axis.position(tick) * (kChartRight - kLeft);
      svg_.add("<line class=\"frame\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n", place, place, kBottom,
               kBottom + 5);
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", place, kBottom + 19, tick_text(tick));
    }
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kChartRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kChartRight) / 2, kHeight - 14,
             xml_text(x.label));
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
             (kTop + kBottom) / 2, xml_text(y.label));
  }

  static std::string at(const char* command, const PlotPoint& point, const Scale& x, const Scale& y) {
    return fmt::format("{}{:.1f} {:.1f}", command,
                       kLeft + x.axis.position(point.x / x.per_unit) * (kChartRight - kLeft),
                       kBottom - y.axis.position(point.y / y.per_unit) * (kBottom - kTop));
  }

  // A dot on top of another is left out, which bounds the file's size.
  static std::string dots(const std::vector<PlotPoint>& points, const Scale& x, const Scale& y) {
    std::set<std::string> drawn;
    std::string path;
    for (const PlotPoint& point : points) {
      std::string dot = at("M", point, x, y);
      if (drawn.insert(dot).second) path += dot + "h0";
    }
    return path;
  }

  static constexpr const char* kStyle =
      ".dots{stroke:#56b4e9;stroke-opacity:.6;stroke-width:4;stroke-linecap:round}"
      ".front{stroke:#d55e00;stroke-width:8;stroke-linecap:round}"
      ".line{stroke:#d55e00;stroke-width:1.5;fill:none}";
  static constexpr double kHeight = 460, kLeft = 90, kTop = 72, kBottom = 404;
  static constexpr double kFar = 3;

  const ResultSet& results_;
  std::vector<PlotPoint> all_;
  std::vector<PlotPoint> front_;
  std::size_t far_ = 0;  // not drawn
  Svg svg_{kChartWidth, kHeight, kStyle};
};

}  // namespace

std::string plot_pareto_svg(const ResultSet& results) {
  const std::vector<const Trial*> front = pareto_front(results);
  return front.empty() ? std::string() : ParetoPicture(results, front).draw();
}

}  // namespace wattune::report
