// PolicyPlot: the speed at which policies run a queue, against the joules that the queue takes.
//
// The plot holds plain numbers. The functions return text and print nothing. Any thread may call them.
//
//   report::PolicyPlot plot{.title = "100 works on H100, simulated", .policies = {{"streams", 305.0, 61.2}}};
//   store::write_file("policies.svg", report::plot_policies_svg(plot), true);
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::report {

struct PolicyPlot {
  struct Policy {
    std::string name;
    double works_per_second = 0.0;
    double joules = 0.0;  // energy of the whole queue
  };

  std::string title;
  std::vector<Policy> policies;
};

// Draws the plot as SVG. A line joins the policies that no other policy beats in both speed and energy. Policies
// without two positive numbers are left out. If there is no policy that can be drawn, the picture says so.
std::string plot_policies_svg(const PolicyPlot& plot);

}  // namespace wattune::report
