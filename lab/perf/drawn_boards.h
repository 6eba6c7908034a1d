// Boards and kernels drawn at random, to test rules for boards that nobody has recorded. Most follow other laws of time
// and power than those that the models of src/model fit.
//
// A board has 8 to 81 evenly spaced clocks. The lowest is 10 to 85 % of the highest, which is 1000 to 2500 MHz. Its
// constant power, its power by clock and its voltage are drawn from the ranges that boards of ../shared/data/dvfs have,
// somewhat widened.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/recorded_dvfs.h"
#include "simulate/draw.h"

namespace wattune::inline v0_1::model {

enum class BoardLaw {
  fitted,      // P0 + a f v(f)^2, v = 1 + b max(0, f - tau), and t = m + c / f: what the model fits
  two_slopes,  // the voltage rises from one clock on, and faster from a second one on
  steps,       // the voltage rises by 5 % every 7 % of the highest clock
  plateau,     // t = max(1, (k / f)^p): from k on the kernel gains nothing
  heat,        // leakage of 0.3 % of the constant power per kelvin, at 0.25 kelvins per watt
  capped,      // the power limit holds the board at lower clocks than it was asked for
};

inline constexpr std::array<std::pair<BoardLaw, const char*>, 6> kBoardLaws = {
    {{BoardLaw::fitted, "the fitted one"},
     {BoardLaw::two_slopes, "voltage with two slopes"},
     {BoardLaw::steps, "voltage in steps"},
     {BoardLaw::plateau, "a plateau of the time"},
     {BoardLaw::heat, "leakage that grows with heat"},
     {BoardLaw::capped, "a power limit"}}};

class DrawnBoard {
 public:
  DrawnBoard(BoardLaw law, std::uint64_t seed) : law_(law), random_(seed) {
    constexpr std::array<std::size_t, 6> kCounts = {8, 10, 12, 16, 31, 81};
    constexpr std::array<double, 9> kLowest = {0.1, 0.15, 0.25, 0.35, 0.45, 0.5, 0.6, 0.7, 0.85};
    const std::size_t n = kCounts[random_.below(kCounts.size())];
    highest_ = between(1000.0, 2500.0);
    const double lowest = kLowest[random_.below(kLowest.size())] * highest_;
    for (std::size_t i = 0; i < n; ++i)
      clocks_.push_back(lowest + (highest_ - lowest) * static_cast<double>(i) / static_cast<double>(n - 1));
    constant_ = between(15.0, 80.0);
    by_clock_ = between(0.02, 0.1);
    rises_at_ = highest_ * between(0.4, 0.85);
    rise_ = between(2e-4, 1.3e-3) * 1500.0 / highest_;
    bends_at_ = highest_ * between(0.3, 0.7);
  }

  // Draws a kernel that was measured at all clocks. `noise` is the noise of the power as a share of it; the noise of
  // the times is a third of that share.
  RecordedKernel kernel(const std::string& name, double noise) {
    const Drawn its{.constant = constant_ * between(0.9, 1.6),
                    .activity = between(0.25, 1.2),
                    .memory = random_.uniform(),
                    .enough = highest_ * between(0.4, 1.05),
                    .exponent = between(0.6, 1.4),
                    .limit = between(0.6, 0.9)};
    const double cap = law_ == BoardLaw::capped ? its.limit * power(its, highest_) : 1e300;
    RecordedKernel kernel{name, "", {.group = name, .runs = {}}};
    for (const double asked : clocks_) {
      double clock = asked;
      while (clock > clocks_.front() && power(its, clock) > cap) --clock;
      kernel.over_clocks.runs.push_back({Megahertz(asked), nanoseconds_from_ms(time(its, clock) * noisy(noise / 3.0)),
                                         Watts(power(its, clock) * noisy(noise))});
    }
    return kernel;
  }

 private:
  struct Drawn {
    double constant, activity, memory, enough, exponent, limit;
  };

  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double noisy(double noise) { return 1.0 + noise * simulate::normal(random_); }

  double voltage(double clock) const {
    const double above = std::max(0.0, clock - rises_at_);
    if (law_ == BoardLaw::two_slopes) return 1.0 + 0.4 * rise_ * std::max(0.0, clock - bends_at_) + rise_ * above;
    if (law_ == BoardLaw::steps) return 1.0 + 0.05 * std::ceil(above / (0.07 * highest_));
    return 1.0 + rise_ * above;
  }
  double power(const Drawn& its, double clock) const {
    const double dynamic = its.activity * by_clock_ * clock * voltage(clock) * voltage(clock);
    const double leakage = law_ == BoardLaw::heat ? 1.0 + 0.003 * 0.25 * dynamic : 1.0;
    return its.constant * leakage + dynamic;
  }
  double time(const Drawn& its, double clock) const {
    if (law_ == BoardLaw::plateau) return std::max(1.0, std::pow(its.enough / clock, its.exponent));
    return its.memory + (1.0 - its.memory) * highest_ / clock;
  }

  BoardLaw law_;
  Random random_;
  std::vector<double> clocks_;
  double highest_ = 0.0, constant_ = 0.0, by_clock_ = 0.0, rises_at_ = 0.0, rise_ = 0.0, bends_at_ = 0.0;
};

}  // namespace wattune::model
