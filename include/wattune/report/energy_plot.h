// EnergyPlot: energy against clock, as measured and as a model has it, with the clocks that are worth tuning in.
//
// Plain numbers, so that whoever fits chooses the model. Returns text, prints nothing. Any thread may call.
//
//   report::EnergyPlot plot{.title = "gemm", .measured = points, .curve = model};
//   plot.bands = {{"steered range", 949.0, 1159.0}};
//   store::write_file("energy.svg", report::plot_energy_svg(plot), true);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::report {

struct EnergyPlot {
  using Points = std::vector<std::pair<double, double>>;  // megahertz, joules; others than finite ones are left out

  struct Band {  // of clocks; the part outside the drawn ones is cut off
    std::string name;
    double low = 0.0;
    double high = 0.0;
  };

  struct Range {  // of energy at a clock
    double clock = 0.0;
    double low = 0.0;
    double high = 0.0;
  };

  std::string title;
  Points measured;                  // dots
  Points fitted_to;                 // larger dots: those of them that the curve is fitted to
  Points curve;                     // a curve through these, ascending
  std::vector<Range> likely;        // an area around the curve, ascending
  std::vector<Band> bands;          // the first lies lowest
  std::optional<double> ridge;      // a vertical line at this clock
  std::string origin = "measured";  // or replayed, simulated: what the dots are
  std::string fitted_to_name = "what the model is fitted to";
  std::string curve_name = "model";
  std::string likely_name = "its likely range";
  std::vector<std::string> notes = {};  // lines below the picture
};

// The energy of every configuration at its graphics clock, and a curve through the least at each; no point of it is
// there where either was not recorded.
EnergyPlot energy_plot_of(const ResultSet& results);

// As SVG. Without a point that can be drawn it says so.
std::string plot_energy_svg(const EnergyPlot& plot);

}  // namespace wattune::report
