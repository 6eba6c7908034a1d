// Emulated boards from the table of module simulate, as power curves, and noisy readings of them.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "model/interface/power_curve.h"
#include "simulate/interface/board_model.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::model {

// The boards of Schoonhoven et al. 2022; the A4000 both as in the paper and as in a recorded sweep.
inline const std::vector<std::string> kEmulatedBoards = {"A100", "A4000", "A4000-recorded", "V100", "TITAN-RTX"};

inline const simulate::BoardModel& emulated(const std::string& name) { return *simulate::find_board_model(name); }

inline std::vector<Megahertz> clocks_below_the_cap(const simulate::BoardModel& board) {
  std::vector<Megahertz> clocks = board.clocks;
  std::erase_if(clocks, [&](Megahertz clock) { return simulate::power_curve(board).at(clock) >= board.limits.usual; });
  return clocks;
}

// Chooses `count` elements evenly, both ends included, rounded to the nearest place.
template <typename T>
std::vector<T> evenly_spaced(const std::vector<T>& all, std::size_t count) {
  std::vector<T> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(all[(2 * i * (all.size() - 1) + count - 1) / (2 * (count - 1))]);
  return chosen;
}

// Draws a normal number by Box and Muller's method.
inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

// Reads the power under a load that fills the board, at the temperature that adds nothing to the idle power.
inline std::vector<PowerSample> readings(const simulate::BoardModel& board, const std::vector<Megahertz>& clocks,
                                         double noise, Random& random) {
  std::vector<PowerSample> samples;
  for (const Megahertz clock : clocks) {
    const Watts power = simulate::power_at(board, {.graphics = clock}, {.core = 1.0}, Celsius(50));
    samples.push_back({.clock = clock, .power = power * (1.0 + noise * normal(random))});
  }
  return samples;
}

}  // namespace wattune::model
