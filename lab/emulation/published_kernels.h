// Kernels on simulated boards that emulate those of table II of Schoonhoven et al. 2022. An emulated kernel meets the
// powers and times of its row as well as the physics of the board allows.
//
// The functions keep no state: any thread may call them.
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

  // Returns watts: 1e3 times the tera-operations per second over the giga-operations per joule.
  Watts before() const { return Watts(1e3 * tops_before / gops_per_watt_before); }
  Watts after() const { return Watts(1e3 * tops_after / gops_per_watt_after); }
  double gain() const { return gops_per_watt_after / gops_per_watt_before - 1.0; }
  double loss() const { return tops_after / tops_before - 1.0; }
};

const std::vector<PublishedRow>& published_rows();

// Builds a kernel of one phase for a row. Its activities are those that come nearest to the row's watts at both clocks.
// The kernel takes 10 ms at the first clock, and its times come nearest to the ratio of the row's speeds.
//
// The kernel misses some numbers of the row if the power falls faster than f * v^2, or the speed falls more than the
// clock.
simulate::Kernel emulated_kernel(const PublishedRow& row);

// Returns the clocks of a coarse grid that stay around `least_energy`, rounded as in Schoonhoven et al. 2022. The first
// one is the grid's first clock of at least 90 % of `least_energy`, the last one the first of at least 110 %.
std::vector<Megahertz> steered_clocks(const std::vector<Megahertz>& grid, Megahertz least_energy);

}  // namespace wattune::emulation
