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

// The box that a name covers, in pixels.
struct NameBox {
  double left, right, top, bottom;

  bool meets(const NameBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Finds places for names beside their points, where they cover neither points nor earlier names.
class NamePlaces {
 public:
  NamePlaces(const PlotFrame& frame, const std::vector<Policy>& policies) : frame_(frame) {
    for (const Policy& each : policies) {
      const double x = frame.x_of(each.joules);
      const double y = frame.y_of(each.works_per_second);
      taken_.push_back({x - kDot, x + kDot, y - kDot, y + kDot});
    }
  }

  // Draws a point, with its name at the nearest free height on the side that has more room, or else on the other.
  void draw(Svg& svg, const Policy& policy) {
    const double x = frame_.x_of(policy.joules);
    const double y = frame_.y_of(policy.works_per_second);
    svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x, y);
    const double width = kCharacter * static_cast<double>(policy.name.size());
    const bool has_room_left = x > 0.5 * (frame_.left + kChartRight);
    for (const double shift : {-6.0, 14.0, -20.0, 28.0, -34.0, 42.0, -48.0, 56.0})
      for (const bool is_left : {has_room_left, !has_room_left}) {
        const double begin = is_left ? x - kGap - width : x + kGap;
        const NameBox box{begin, begin + width, y + shift - kHeight, y + shift};
        const bool is_inside =
            box.left >= frame_.left && box.right <= kChartRight && box.top > 0 && box.bottom < frame_.bottom;
        if (!is_inside || std::ranges::any_of(taken_, [&](const NameBox& other) { return box.meets(other); })) continue;
        add_name(svg, policy, x, y + shift, is_left);
        taken_.push_back(box);
        return;
      }
    add_name(svg, policy, x, y - 6, has_room_left);
  }

 private:
  static void add_name(Svg& svg, const Policy& policy, double x, double y, bool is_left) {
    svg.add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", is_left ? x - kGap : x + kGap, y,
            is_left ? "end" : "start", xml_text(policy.name));
  }

  static constexpr double kDot = 4, kGap = 8, kHeight = 12, kCharacter = 7;  // 7 is the width of wide letters

  const PlotFrame& frame_;
  std::vector<NameBox> taken_;
};

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
  NamePlaces places(frame, policies);
  for (const Policy& policy : policies) places.draw(svg, policy);
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
