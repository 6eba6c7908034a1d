#include <algorithm>
#include <cmath>
#include <vector>

#include "core/interface/pareto.h"
#include "report/interface/policy_plot.h"
#include "report/interface/text.h"
#include "report/plot_frame.h"

namespace wattune::inline v0_1::report {

namespace {

using Policy = PolicyPlot::Policy;

bool can_be_drawn(const Policy& policy) {
  return std::isfinite(policy.works_per_second) && std::isfinite(policy.joules) && policy.works_per_second > 0.0 &&
         policy.joules > 0.0;
}

PlotPoint point_of(const Policy& policy) { return {policy.joules, policy.works_per_second}; }

bool beats(const Policy& one, const Policy& other) {
  return dominates({one.joules, -one.works_per_second}, {other.joules, -other.works_per_second});
}

// Returns the policies that no other policy beats in both speed and energy, in the order of joules.
std::vector<PlotPoint> front_of(const std::vector<Policy>& policies) {
  std::vector<PlotPoint> front;
  for (const Policy& each : policies)
    if (std::ranges::none_of(policies, [&](const Policy& other) { return beats(other, each); }))
      front.push_back(point_of(each));
  std::ranges::sort(front);
  return front;
}

Axis axis_of(const std::vector<Policy>& policies, double Policy::*coordinate) {
  const auto [low, high] = std::ranges::minmax_element(policies, {}, coordinate);
  return Axis::of_times((*low).*coordinate, (*high).*coordinate);
}

// Draws a point, with its name on the side that has more room.
void draw_policy(Svg& svg, const PlotFrame& frame, const Policy& policy) {
  const double x = frame.x_of(policy.joules);
  const double y = frame.y_of(policy.works_per_second);
  const bool is_right = x > 0.5 * (frame.left + kChartRight);
  svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x, y);
  svg.add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", is_right ? x - 8 : x + 8, y - 6,
          is_right ? "end" : "start", xml_text(policy.name));
}

std::string picture_of(const PolicyPlot& plot, const std::vector<Policy>& policies) {
  const PlotFrame frame{.left = 90,
                        .top = 56,
                        .bottom = 364,
                        .x = axis_of(policies, &Policy::joules),
                        .y = axis_of(policies, &Policy::works_per_second)};
  Svg svg(kChartWidth, 420, "circle{fill:#0072b2}.front{stroke:#d55e00;stroke-width:1.5;fill:none}");
  svg.add_title(frame.left, kChartRight, plot.title);
  frame.draw(svg, "joules of the queue, less is better", "works per second");
  svg.add("<path class=\"front\" d=\"{}\"/>\n", frame.line(front_of(policies)));
  for (const Policy& policy : policies) draw_policy(svg, frame, policy);
  return svg.finish();
}

std::string nothing_to_draw(const PolicyPlot& plot) {
  Svg svg(kChartWidth, 80, "");
  svg.add_title(24, kChartRight, plot.title);
  svg.add("<text x=\"24\" y=\"56\">No policy has both a time and joules.</text>\n");
  return svg.finish();
}

}  // namespace

std::string plot_policies_svg(const PolicyPlot& plot) {
  std::vector<Policy> policies = plot.policies;
  std::erase_if(policies, [](const Policy& policy) { return !can_be_drawn(policy); });
  return policies.empty() ? nothing_to_draw(plot) : picture_of(plot, policies);
}

}  // namespace wattune::report
