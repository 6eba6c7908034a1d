#include <algorithm>
#include <cmath>
#include <vector>

#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "wattune/report/policy_plot.h"

namespace wattune::report {

namespace {

using Policy = PolicyPlot::Policy;

bool can_be_drawn(const Policy& policy) {
  return std::isfinite(policy.works_per_second) && std::isfinite(policy.joules) && policy.works_per_second > 0.0 &&
         policy.joules > 0.0;
}

bool beats(const Policy& one, const Policy& other) {
  return one.works_per_second >= other.works_per_second && one.joules <= other.joules &&
         (one.works_per_second > other.works_per_second || one.joules < other.joules);
}

// From the one with the fewest joules on.
std::vector<Policy> front_of(const std::vector<Policy>& policies) {
  std::vector<Policy> front;
  for (const Policy& each : policies)
    if (std::ranges::none_of(policies, [&](const Policy& other) { return beats(other, each); })) front.push_back(each);
  std::ranges::sort(front, {}, &Policy::joules);
  return front;
}

Axis axis_of(const std::vector<Policy>& policies, double Policy::*coordinate) {
  const auto [low, high] = std::ranges::minmax_element(policies, {}, coordinate);
  return Axis::of_times((*low).*coordinate, (*high).*coordinate);
}

class PolicyPicture {
 public:
  PolicyPicture(const PolicyPlot& plot, std::vector<Policy> policies)
      : policies_(std::move(policies)),
        joules_(axis_of(policies_, &Policy::joules)),
        rates_(axis_of(policies_, &Policy::works_per_second)) {
    svg_.add_title(kLeft, kChartRight, plot.title);
  }

  std::string draw() {
    draw_axes();
    std::string line;
    for (const Policy& policy : front_of(policies_))
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x_of(policy), y_of(policy));
    svg_.add("<path class=\"front\" d=\"{}\"/>\n", line);
    for (const Policy& policy : policies_) draw(policy);
    return svg_.finish();
  }

 private:
  double x_of(const Policy& policy) const { return kLeft + joules_.position(policy.joules) * (kChartRight - kLeft); }
  double y_of(const Policy& policy) const {
    return kBottom - rates_.position(policy.works_per_second) * (kBottom - kTop);
  }

  // Names stand on the side where there is room.
  void draw(const Policy& policy) {
    const double x = x_of(policy);
    const bool is_right = x > 0.5 * (kLeft + kChartRight);
    svg_.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x, y_of(policy));
    svg_.add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", is_right ? x - 8 : x + 8,
             y_of(policy) - 6, is_right ? "end" : "start", xml_text(policy.name));
  }

  void draw_axes() {
    for (const double tick : rates_.ticks(7)) {
      const double y = kBottom - rates_.position(tick) * (kBottom - kTop);
      svg_.add("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kChartRight, y, y);
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 4, tick_text(tick));
    }
    for (const double tick : joules_.ticks(8)) {
      const double x = kLeft + joules_.position(tick) * (kChartRight - kLeft);
      svg_.add("<line class=\"frame\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n", x, x, kBottom, kBottom + 5);
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, kBottom + 19, tick_text(tick));
    }
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kChartRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">joules of the queue, less is better</text>\n",
             (kLeft + kChartRight) / 2, kHeight - 14);
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">works per second</text>\n",
             (kTop + kBottom) / 2);
  }

  static constexpr const char* kStyle = "circle{fill:#0072b2}.front{stroke:#d55e00;stroke-width:1.5;fill:none}";
  static constexpr double kHeight = 420, kLeft = 90, kTop = 56, kBottom = 364;

  std::vector<Policy> policies_;
  Axis joules_;
  Axis rates_;
  Svg svg_{kChartWidth, kHeight, kStyle};
};

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
  return policies.empty() ? nothing_to_draw(plot) : PolicyPicture(plot, std::move(policies)).draw();
}

}  // namespace wattune::report
