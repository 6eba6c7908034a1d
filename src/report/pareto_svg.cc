#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/interface/pareto.h"
#include "report/interface/trials.h"
#include "report/plot_frame.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

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
    std::ranges::sort(front_);
    far_ = std::erase_if(all_, [&](const PlotPoint& point) {
      return is_far(0, &PlotPoint::first, point) || is_far(1, &PlotPoint::second, point);
    });
  }

  std::string draw() {
    const std::string x_unit = take_unit(0, &PlotPoint::first);
    const std::string y_unit = take_unit(1, &PlotPoint::second);
    const PlotFrame frame{
        .left = kLeft, .top = 72, .bottom = 404, .x = axis(&PlotPoint::first), .y = axis(&PlotPoint::second)};
    draw_titles();
    frame.draw(svg_, label(0, x_unit), label(1, y_unit));
    svg_.add("<path class=\"dots\" d=\"{}\"/>\n", frame.dots(all_));
    svg_.add("<path class=\"line\" d=\"{}\"/>\n", frame.line(front_));
    svg_.add("<path class=\"front\" d=\"{}\"/>\n", frame.dots(front_));
    return svg_.finish();
  }

 private:
  std::optional<PlotPoint> point_of(const Trial& trial) const {
    const auto x = value_of(trial.observation, results_.info.objectives[0].metric);
    const auto y = value_of(trial.observation, results_.info.objectives[1].metric);
    if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y)) return std::nullopt;
    return PlotPoint{*x, *y};
  }

  // True if a point is so far beyond the front that the front would become small if the point were drawn.
  bool is_far(std::size_t objective, double PlotPoint::*coordinate, const PlotPoint& point) const {
    const auto [low, high] = std::ranges::minmax_element(front_, {}, coordinate);
    if ((*low).*coordinate <= 0.0) return false;
    return results_.info.objectives[objective].maximize ? kFarFactorOfPlot * point.*coordinate < (*low).*coordinate
                                                        : point.*coordinate > kFarFactorOfPlot * ((*high).*coordinate);
  }

  // Converts the coordinate of all points from seconds into the unit that suits them, and returns that unit. Other
  // metrics keep their units.
  std::string take_unit(std::size_t objective, double PlotPoint::*coordinate) {
    const std::string& metric = results_.info.objectives[objective].metric;
    if (metric != "time") return unit_of(results_, metric);
    const PlotPoint& least = *std::ranges::min_element(all_, {}, coordinate);
    const TimeUnit suited = unit_for(nanoseconds_from_seconds(least.*coordinate));
    for (std::vector<PlotPoint>* points : {&all_, &front_})
      for (PlotPoint& point : *points) point.*coordinate = suited.of(nanoseconds_from_seconds(point.*coordinate));
    return suited.name;
  }

  std::string label(std::size_t objective, const std::string& unit) const {
    const Objective& wanted = results_.info.objectives[objective];
    return wanted.metric + (unit.empty() ? "" : " (" + unit + ")") +
           (wanted.maximize ? ", more is better" : ", less is better");
  }

  Axis axis(double PlotPoint::*coordinate) const {
    const auto [low, high] = std::ranges::minmax_element(all_, {}, coordinate);
    const double least = (*low).*coordinate;
    const double most = (*high).*coordinate;
    return least > 0.0 ? Axis::of_times(least, most) : Axis::linear(least, most);
  }

  void draw_titles() {
    svg_.add_title(kLeft, kChartRight, cut(name_of(results_.info), kLongestName) + ": Pareto front");
    svg_.add(
        "<text x=\"{}\" y=\"48\"><tspan fill=\"#d55e00\">● Pareto front, {}</tspan>"
        "<tspan dx=\"14\" fill=\"#56b4e9\">● a configuration</tspan><tspan dx=\"14\">{}</tspan></text>\n",
        kLeft, front_.size(),
        far_ == 0 ? "" : fmt::format("{} worse by more than {} times are not drawn", far_, kFarFactorOfPlot));
  }

  static constexpr const char* kStyle =
      ".dots{stroke:#56b4e9;stroke-opacity:.6;stroke-width:4;stroke-linecap:round}"
      ".front{stroke:#d55e00;stroke-width:8;stroke-linecap:round}"
      ".line{stroke:#d55e00;stroke-width:1.5;fill:none}";
  static constexpr double kLeft = 90;
  static constexpr double kFarFactorOfPlot = 3;

  const ResultSet& results_;
  std::vector<PlotPoint> all_;
  std::vector<PlotPoint> front_;
  std::size_t far_ = 0;  // points that are not drawn
  Svg svg_{kChartWidth, 460, kStyle};
};

}  // namespace

std::string plot_pareto_svg(const ResultSet& results) {
  const std::vector<const Trial*> front = pareto_front(results);
  return front.empty() ? std::string() : ParetoPicture(results, front).draw();
}

}  // namespace wattune::report
