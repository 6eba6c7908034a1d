// GainPlot: what two kernels gain by running together, against the ratio in which they share a GPU.
//
// Plain numbers. Returns text, prints nothing. Any thread may call.
//
//   report::GainPlot plot{.title = "fma with copy", .sharing = {{"every SM shared", {{0.5, 0.86}}}}};
//   store::write_file("gain.svg", report::plot_gain_svg(plot), true);
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wattune::report {

struct GainPlot {
  struct Curve {
    std::string name;
    // The first kernel's share of blocks or of SMs, 0 to 1, and the gain, as a share; ascending.
    std::vector<std::pair<double, double>> points;
  };
  struct Baseline {  // a line, as there is no ratio to choose
    std::string name;
    double gain = 0.0;
  };

  std::string title;
  std::string first;  // the kernel whose share it is
  std::vector<Curve> sharing;
  std::vector<Baseline> baselines;
};

// As SVG. Gains of more than 100 %, which only kernels of different length can have, are drawn there.
std::string plot_gain_svg(const GainPlot& plot);

}  // namespace wattune::report
