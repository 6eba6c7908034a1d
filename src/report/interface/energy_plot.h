// EnergyPlot: measured energy and the energy that a model predicts, both against the clock, with the ranges of clocks
// that are worth tuning.
//
// The plot holds plain numbers, so that the caller chooses the model. The functions return text and print nothing. Any
// thread may call them.
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
  using Points = std::vector<std::pair<double, double>>;  // megahertz and joules; points must be finite to count

  struct Band {  // a range of clocks; only its part within the drawn clocks is shown
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
  Points measured;                  // points drawn as dots
  Points fitted_to;                 // points drawn as larger dots: those to which the curve is fitted
  Points curve;                     // points that a curve joins, by ascending clock
  std::vector<Range> likely;        // ranges that form an area around the curve, by ascending clock
  std::vector<Band> bands;          // ranges of clocks, drawn one above the other, the first one lowest
  std::optional<double> ridge;      // clock at which a vertical line is drawn
  std::string origin = "measured";  // the origin of the dots, such as measured, replayed or simulated
  std::string fitted_to_name = "what the model is fitted to";
  std::string curve_name = "model";
  std::string likely_name = "its likely range";
  std::vector<std::string> notes = {};  // lines below the picture
};

// Plots the energy of every configuration at its graphics clock, and a curve through the least energy at each clock.
// Configurations that take far more than the least energy are only counted in a note. The plot has no points if no
// clock or no energy was recorded.
EnergyPlot energy_plot_of(const ResultSet& results);

// Draws the plot as SVG. If there is no point that can be drawn, the picture says so.
std::string plot_energy_svg(const EnergyPlot& plot);

}  // namespace wattune::report
