// GainPlot: the gain of running two kernels together, against the ratio in which they share a GPU.
//
// The plot holds plain numbers. The functions return text and print nothing. Any thread may call them.
//
//   report::GainPlot plot{.title = "fma with copy", .sharing = {{"every SM shared", {{0.5, 0.86}}}}};
//   store::write_file("gain.svg", report::plot_gain_svg(plot), true);
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::report {

struct GainPlot {
  struct Curve {
    std::string name;
    // Pairs of the first kernel's share of blocks or SMs, from 0 to 1, and the gain as a share. Shares are ascending.
    std::vector<std::pair<double, double>> points;
  };
  struct Baseline {  // a baseline has no ratio, so it is drawn as a horizontal line
    std::string name;
    double gain = 0.0;
  };

  std::string title;
  std::string first;  // name of the kernel whose share is on the axis
  std::vector<Curve> sharing;
  std::vector<Baseline> baselines;
};

// Draws the plot as SVG. Gains above 100 %, which only kernels of different length can have, are drawn at 100 %.
std::string plot_gain_svg(const GainPlot& plot);

}  // namespace wattune::report
