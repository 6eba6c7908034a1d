#include "report/page/objective_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interface/wording.h"
#include "report/interface/trials.h"
#include "report/plot_frame.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr const char* kHistoryStyle =
    ".dots{stroke:#3b82c4;stroke-opacity:.55;stroke-width:4;stroke-linecap:round}"
    ".best{stroke:#d9730d;stroke-width:2;fill:none}";

// The values of an objective over the evaluations, from 1.
struct History {
  std::vector<PlotPoint> all;
  std::vector<PlotPoint> best;  // those at which the best value changed
};

History history_of(const TuningRun& run) {
  const double sign = run.objective->maximize ? -1.0 : 1.0;  // objectives of Trials are for the least
  const Nanoseconds longest = run.results.longest_time();
  History history;
  for (std::size_t i = 0; i < run.results.trials.size(); ++i) {
    const Trial& trial = run.results.trials[i];
    if (!has_time(trial) || time_of(trial) > longest || !std::isfinite(objective_of(trial))) continue;
    const PlotPoint point(static_cast<double>(i + 1), sign * objective_of(trial));
    history.all.push_back(point);
    if (history.best.empty() || sign * point.second < sign * history.best.back().second) history.best.push_back(point);
  }
  return history;
}

Axis axis_of_values(const std::vector<PlotPoint>& points) {
  const auto [low, high] = std::ranges::minmax_element(points, {}, &PlotPoint::second);
  return low->second > 0.0 ? Axis::of_times(low->second, high->second) : Axis::linear(low->second, high->second);
}

// Returns the corners of a line that keeps each value until the next, and ends with the last evaluation.
std::vector<PlotPoint> stairs(const std::vector<PlotPoint>& steps, double last) {
  std::vector<PlotPoint> corners;
  for (const PlotPoint& step : steps) {
    if (!corners.empty()) corners.emplace_back(step.first, corners.back().second);
    corners.push_back(step);
  }
  corners.emplace_back(last, corners.back().second);
  return corners;
}

}  // namespace

ObjectiveHistory objective_history(const TuningRun& run) {
  const History history = history_of(run);
  const std::string& name = run.objective->metric;
  ObjectiveHistory result{.svg = {}, .steps = PageTable::of(0, {"evaluation", name + " of the best so far"})};
  for (const auto& [evaluation, value] : history.best)
    result.steps.rows.push_back({group_digits(static_cast<std::uint64_t>(evaluation)), fmt::format("{:.6g}", value)});
  if (history.all.empty()) return result;
  const auto last = static_cast<double>(run.results.trials.size());
  const PlotFrame frame{
      .left = 90, .top = 56, .bottom = 364, .x = Axis::linear(1.0, last), .y = axis_of_values(history.all)};
  Svg svg(kChartWidth, 420, kHistoryStyle);
  svg.add_title(frame.left, kChartRight, cut(name, kLongestName) + " of the best so far, and of each evaluation");
  frame.draw(svg, "evaluations", name + (run.objective->maximize ? ", more is better" : ", less is better"));
  svg.add("<path class=\"dots\" d=\"{}\"/>\n", frame.dots(history.all));
  svg.add("<path class=\"best\" d=\"{}\"/>\n", frame.line(stairs(history.best, last)));
  result.svg = svg.finish();
  return result;
}

}  // namespace wattune::report
