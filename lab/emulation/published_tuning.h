// Model-steered tuning of table II of Schoonhoven et al. 2022 on simulated boards, for a test and for the program that
// prints the table.
#pragma once

#include <optional>
#include <vector>

#include "lab/emulation/published_kernels.h"

namespace wattune::emulation {

// Returns the coarse grid of clocks of Schoonhoven et al. 2022. It is inferred from the paper's tuned clocks and the
// shares of points that the paper leaves out.
inline std::vector<Megahertz> published_grid(const std::string& board) {
  const auto grid = [](double first, double step, int points) {
    std::vector<Megahertz> clocks;
    for (int i = 0; i < points; ++i) clocks.emplace_back(first + i * step);
    return clocks;
  };
  if (board == "A100") return grid(210, 75, 17);
  if (board == "A4000") return grid(210, 90, 19);
  if (board == "TITAN-RTX") return grid(315, 105, 18);
  return grid(120, 90, 15);  // the V100's; its lowest clock is 135
}

struct RowMeasurement {
  Nanoseconds time;  // of a launch
  Watts power;
  Joules energy() const { return power * time; }
};

// Measures the row's kernel for 5 s, after 5 s to warm up. The clock is locked at `clock`; with nullopt the board
// chooses it.
inline RowMeasurement measure_row(const PublishedRow& row, std::optional<Megahertz> clock) {
  simulate::SimulatedBoard board(*simulate::find_board_model(row.board));
  if (clock) board.lock_clock(*clock);
  const simulate::Kernel kernel = emulated_kernel(row);
  board.launch(kernel, 500);
  const simulate::Launches launches = board.launch(kernel, 500);
  const Nanoseconds time = launches.end - launches.begin;
  return {time / 500.0, launches.energy / time};
}

struct SteeredRow {
  Megahertz clock;
  RowMeasurement before;
  RowMeasurement after;
  double gain = 0.0;  // of operations per joule
  double loss = 0.0;  // of operations per second, negative
};

// Finds the clock of least energy among those around the clock that the power model gives. On the boards of table II
// the latter is the voltage's threshold tau, because 2 * alpha * beta * tau^2 >= P0.
inline SteeredRow steer_row(const PublishedRow& row) {
  SteeredRow best{.before = measure_row(row, std::nullopt)};
  const Megahertz threshold = simulate::find_board_model(row.board)->voltage_threshold;
  for (const Megahertz clock : steered_clocks(published_grid(row.board), threshold)) {
    const RowMeasurement measured = measure_row(row, clock);
    if (best.clock > Megahertz(0) && measured.energy() >= best.after.energy()) continue;
    best.clock = clock;
    best.after = measured;
  }
  best.gain = best.before.energy() / best.after.energy() - 1.0;
  best.loss = best.before.time / best.after.time - 1.0;
  return best;
}

}  // namespace wattune::emulation
