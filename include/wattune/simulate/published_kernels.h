// The kernels of paper 003's table II, as kernels of simulated boards: so much of each row as the physics of its board
// allows.
//
// Values; any thread.
//
//   const simulate::PublishedRow& row = simulate::published_rows().front();
//   const simulate::Kernel kernel = simulate::emulated_kernel(row);
//   board.launch(kernel, 1000);
#pragma once

#include <string>
#include <vector>

#include "wattune/simulate/simulated_board.h"

namespace wattune::simulate {

// A row of table II: at the clock that the board takes by itself, and at the one that model-steered tuning found.
struct PublishedRow {
  std::string board;  // as in board_models()
  std::string kernel;
  double gops_per_watt_before = 0.0;
  double gops_per_watt_after = 0.0;
  double tops_before = 0.0;
  double tops_after = 0.0;
  Megahertz tuned = {};

  // Operations per second over operations per joule.
  Watts before() const { return Watts(1e3 * tops_before / gops_per_watt_before); }
  Watts after() const { return Watts(1e3 * tops_after / gops_per_watt_after); }
  double gain() const { return gops_per_watt_after / gops_per_watt_before - 1.0; }
  double loss() const { return tops_after / tops_before - 1.0; }
};

const std::vector<PublishedRow>& published_rows();

// One phase, whose activities come nearest to the row's watts at both clocks and whose times, 10 ms at the first, come
// nearest to the row's ratio. It cannot reach both where a row falls faster than f * v^2, or slower than the clock.
Kernel emulated_kernel(const PublishedRow& row);

// The clocks that a coarse grid keeps around the clock of least energy: from the first point that is no lower than 90 %
// of it to the first that is no lower than 110 %, as paper 003 rounds.
std::vector<Megahertz> steered_clocks(const std::vector<Megahertz>& grid, Megahertz least_energy);

}  // namespace wattune::simulate
