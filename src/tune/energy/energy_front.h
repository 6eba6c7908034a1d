// EnergyFront: the times and energies that no other configuration beats in both, for searches that want both.
//
// Under a slowdown the best so far may drop out when a faster configuration is found, so that taking more energy than
// it decides nothing. But a configuration that is slower and takes more energy than another never wins: whoever counts
// it counts the other too. The same holds for a Pareto front of time and energy. Each figure is taken at the worst end
// of its uncertainty.
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
  // Makes an empty front. With `slowdown`, a configuration slower than the fastest by more than this share never counts
  // (Objective::slowdown).
  explicit EnergyFront(std::optional<double> slowdown = {}) : slowdown_(slowdown) {}

  // Learns a correct observation; if its energy was not measured, only its time is of use.
  void learn(const Observation& observation);
  // Returns the most energy with which a run of this time may be worth having: the least energy of those that are
  // surely as fast. nullopt if no configuration is.
  std::optional<Joules> most_energy(Nanoseconds time) const;
  // Returns the longest time of a run that may count, now or later; infinite without a slowdown.
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
