// Boards that do not exist here, as power curves with the clocks and the cap of real ones, and noisy readings of them.
//
// The A4000's data are fitted to a recorded sweep, the other curves to what a paper prints of the boards. E is not read
// from them: what is drawn is base + alpha f v(f)^2 with normal noise.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "wattune/core/random.h"
#include "wattune/model/power_curve.h"

namespace wattune::model {

struct EmulatedBoard {
  const char* name;
  double lowest;  // MHz
  double highest;
  double step;
  PowerCurve curve;
  Watts cap;
};

inline constexpr std::array kEmulatedBoards = {
    EmulatedBoard{"A100 PCIe", 210, 1410, 15, {Watts(45.0), 0.0614, 1.285e-3, Megahertz(985)}, Watts(250)},
    EmulatedBoard{"RTX A4000, paper", 210, 2100, 15, {Watts(29.3), 0.0376, 7.4e-4, Megahertz(1298)}, Watts(140)},
    EmulatedBoard{"RTX A4000, data", 210, 2100, 15, {Watts(29.3), 0.0376, 7.4e-4, Megahertz(1348)}, Watts(140)},
    EmulatedBoard{"V100 PCIe", 135, 1380, 7.5, {Watts(35.0), 0.0848, 6.22e-4, Megahertz(1110)}, Watts(250)},
    EmulatedBoard{"TITAN RTX", 300, 2100, 15, {Watts(55.0), 0.0606, 5.14e-4, Megahertz(1155)}, Watts(280)}};

inline std::vector<Megahertz> clock_table(const EmulatedBoard& board) {
  std::vector<Megahertz> clocks;
  for (double clock = board.lowest; clock <= board.highest; clock += board.step) clocks.emplace_back(clock);
  return clocks;
}

inline std::vector<Megahertz> clocks_below_the_cap(const EmulatedBoard& board) {
  std::vector<Megahertz> clocks = clock_table(board);
  std::erase_if(clocks, [&](Megahertz clock) { return board.curve.at(clock) >= board.cap; });
  return clocks;
}

// `count` of them, both ends included, rounded to the nearest place.
template <typename T>
std::vector<T> evenly_spaced(const std::vector<T>& all, std::size_t count) {
  std::vector<T> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(all[(2 * i * (all.size() - 1) + count - 1) / (2 * (count - 1))]);
  return chosen;
}

// Box and Muller's method.
inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

inline std::vector<PowerSample> readings(const EmulatedBoard& board, const std::vector<Megahertz>& clocks, double noise,
                                         Random& random) {
  std::vector<PowerSample> samples;
  for (const Megahertz clock : clocks)
    samples.push_back({.clock = clock, .power = board.curve.at(clock) * (1.0 + noise * normal(random))});
  return samples;
}

}  // namespace wattune::model
