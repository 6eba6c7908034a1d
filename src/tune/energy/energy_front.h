// EnergyFront: the pairs of time and energy that no other configuration beats in both, for searches in which both
// matter.
//
// Under a slowdown limit, the best so far may become too slow when a faster configuration is found. So a configuration
// that takes more energy than the best may still win. But a configuration that is slower than another and takes more
// energy never wins, because the other counts whenever it does. The same holds for a Pareto front of time and energy.
// Each figure is taken at the worst end of its uncertainty.
//
//   EnergyFront front(slowdown_of(spec.objectives));
//   front.learn(observation);
//   if (time > front.longest_time() || least > front.most_energy(time)) leave_out();
#pragma once

#include <optional>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::tune {

class EnergyFront {
 public:
  // Makes an empty front. With `slowdown`, a configuration counts only if it is slower than the fastest by at most this
  // share (Objective::slowdown).
  explicit EnergyFront(std::optional<double> slowdown = {}) : slowdown_(slowdown) {}

  // Learns a correct observation. If its energy was not measured, only its time is used.
  void learn(const Observation& observation);
  // Returns the most energy with which a run of this time may win: the least energy of configurations that are surely
  // as fast. Returns nullopt if there is no such configuration.
  std::optional<Joules> most_energy(Nanoseconds time) const;
  // Returns the longest time with which a configuration may count, now or later; infinite without a slowdown limit.
  Nanoseconds longest_time() const;

 private:
  struct Point {
    Nanoseconds time;
    Joules energy;
  };

  std::optional<double> slowdown_;
  std::optional<Nanoseconds> fastest_;
  std::vector<Point> points_;
};

}  // namespace wattune::tune
