// EnergyPlot: energy against clock, as measured and as a model predicts it, with the ranges of clocks that are worth
// tuning.
//
// The plot holds plain numbers, so that the caller chooses the model. Returns text, prints nothing. Any thread may
// call.
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

namespace wattune::inline v0_1::report {

struct EnergyPlot {
  using Points = std::vector<std::pair<double, double>>;  // megahertz, joules; pairs that are not finite are left out

  struct Band {  // a range of clocks; the part outside the drawn clocks is cut off
    std::string name;
    double low = 0.0;
    double high = 0.0;
  };

  struct Range {  // the range in which the energy at a clock lies
    double clock = 0.0;
    double low = 0.0;
    double high = 0.0;
  };

  std::string title;
  Points measured;                  // dots
  Points fitted_to;                 // larger dots: those that the curve is fitted to
  Points curve;                     // a curve through these, ascending
  std::vector<Range> likely;        // an area around the curve, ascending
  std::vector<Band> bands;          // ranges of clocks, drawn below each other; the first is the lowest
  std::optional<double> ridge;      // clock at which a vertical line is drawn
  std::string origin = "measured";  // the origin of the dots, such as measured, replayed or simulated
  std::string fitted_to_name = "what the model is fitted to";
  std::string curve_name = "model";
  std::string likely_name = "its likely range";
  std::vector<std::string> notes = {};  // lines below the picture
};

// Plots the energy of every configuration at its graphics clock, and a curve through the least energy at each clock.
// Configurations that take far more than the least are only counted in a note. The plot has no points if clock or
// energy was not recorded.
EnergyPlot energy_plot_of(const ResultSet& results);

// Draws the plot as SVG. Without a point that can be drawn the picture says so.
std::string plot_energy_svg(const EnergyPlot& plot);

}  // namespace wattune::report
