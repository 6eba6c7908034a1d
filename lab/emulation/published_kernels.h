// The kernels of Schoonhoven's table II, emulated on simulated boards. Each row is met as well as the physics of its
// board allows.
//
// Values; any thread.
//
//   const emulation::PublishedRow& row = emulation::published_rows().front();
//   const simulate::Kernel kernel = emulation::emulated_kernel(row);
//   board.launch(kernel, 1000);
#pragma once

#include <string>
#include <vector>

#include "simulate/interface/simulated_board.h"

namespace wattune::emulation {

// A row of table II: one kernel at the clock that the board takes by itself, and at the clock that model-steered tuning
// found.
struct PublishedRow {
  std::string board;  // name in board_models()
  std::string kernel;
  double gops_per_watt_before = 0.0;
  double gops_per_watt_after = 0.0;
  double tops_before = 0.0;
  double tops_after = 0.0;
  Megahertz tuned = {};

  // Returns watts: operations per second over operations per joule.
  Watts before() const { return Watts(1e3 * tops_before / gops_per_watt_before); }
  Watts after() const { return Watts(1e3 * tops_after / gops_per_watt_after); }
  double gain() const { return gops_per_watt_after / gops_per_watt_before - 1.0; }
  double loss() const { return tops_after / tops_before - 1.0; }
};

const std::vector<PublishedRow>& published_rows();

// Builds a kernel of one phase for a row. Its activities come nearest to the row's watts at both clocks. Its times, 10
// ms at the first clock, come nearest to the row's ratio. It cannot reach both if a row's power falls faster than f *
// v^2, or its speed falls more than the clock.
simulate::Kernel emulated_kernel(const PublishedRow& row);

// Returns the clocks that a coarse grid keeps around the clock of least energy, rounded as in Schoonhoven et al. 2022.
// They reach from the first point of at least 90 % of it to the first point of at least 110 %.
std::vector<Megahertz> steered_clocks(const std::vector<Megahertz>& grid, Megahertz least_energy);

}  // namespace wattune::emulation
