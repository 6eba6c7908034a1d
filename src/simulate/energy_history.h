// EnergyHistory holds the energy of a board as a function of time over its last seconds. Sensors that show the mean of
// a window need it.
//
// It stores the exact energy at some moments (knots), mostly at least 250 us apart; between them the energy is
// interpolated linearly. It is a plain value of fixed size, because processes share boards through a file.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::simulate {

class EnergyHistory {
 public:
  // Adds `energy` at `moment`. Preconditions: the moment is not before the last one, and the power was constant in
  // between.
  void append(Nanoseconds moment, Joules energy) {
    const Knot knot{moment.value(), energy.value()};
    if (count_ >= 2 && extends_last(knot)) {
      at(count_ - 1) = knot;
      return;
    }
    if (count_ == kKnots) {
      first_ = (first_ + 1) % kKnots;
      --count_;
    }
    at(count_++) = knot;
  }

  // Returns the energy at that moment. Before the first knot it is the energy of the first, and after the last knot
  // that of the last.
  Joules energy_at(Nanoseconds moment) const {
    const double time = moment.value();
    if (count_ == 0) return {};
    if (time <= at(0).time) return Joules(at(0).energy);
    if (time >= at(count_ - 1).time) return Joules(at(count_ - 1).energy);
    const std::uint32_t after = first_after(time);
    const Knot& a = at(after - 1);
    const Knot& b = at(after);
    return Joules(a.energy + (b.energy - a.energy) * (time - a.time) / (b.time - a.time));
  }

  Watts mean(Nanoseconds from, Nanoseconds to) const { return (energy_at(to) - energy_at(from)) / (to - from); }

 private:
  struct Knot {
    double time;    // time in ns
    double energy;  // energy in J
  };
  static constexpr std::uint32_t kKnots = 8192;           // number of knots; one every 250 us lasts for 2 s
  static constexpr double kShortestKnotInterval = 250e3;  // in ns
  static constexpr double kLongestKnotInterval = 100e6;
  static constexpr double kSamePower = 1e-12;  // in J/ns; powers that differ by less count as equal

  Knot& at(std::uint32_t i) { return knots_[(first_ + i) % kKnots]; }
  const Knot& at(std::uint32_t i) const { return knots_[(first_ + i) % kKnots]; }

  static double slope(const Knot& a, const Knot& b) { return (b.energy - a.energy) / (b.time - a.time); }

  bool extends_last(const Knot& knot) const {
    const Knot& before = at(count_ - 2);
    const Knot& last = at(count_ - 1);
    if (last.time - before.time < kShortestKnotInterval || knot.time == last.time) return true;
    const bool same = std::abs(slope(last, knot) - slope(before, last)) < kSamePower;
    return same && knot.time - before.time < kLongestKnotInterval;
  }

  std::uint32_t first_after(double time) const {
    std::uint32_t low = 0;
    std::uint32_t high = count_ - 1;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (at(middle).time <= time ? low : high) = middle;
    }
    return high;
  }

  std::uint32_t first_;
  std::uint32_t count_;
  Knot knots_[kKnots];
};

}  // namespace wattune::simulate
