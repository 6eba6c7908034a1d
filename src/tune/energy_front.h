// EnergyFront: times and energies of which no other configuration has less in both, for searches that want both.
//
// Under a slowdown the best of today counts no more when a faster configuration is found, so that being worse than it
// in energy decides nothing. But what is slower and takes more than another never comes to win: whoever counts it
// counts the other too. The same holds of a Pareto front of time and energy. Each is taken at the worst of its
// uncertainty.
//
//   EnergyFront front(slowdown_of(spec.objectives));
//   front.learn(observation);
//   if (time > front.longest_time() || least > front.most_energy(time)) leave_out();
#pragma once

#include <optional>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/units.h"

namespace wattune::tune {

class EnergyFront {
 public:
  // `slowdown`: what takes longer than the fastest by more than this share never counts (Objective::slowdown).
  explicit EnergyFront(std::optional<double> slowdown = {}) : slowdown_(slowdown) {}

  // A correct one; where its energy was not measured only its time is of use.
  void learn(const Observation& observation);
  // With which a run of this time may be worth having: the least of what is surely as fast. None: nothing is.
  std::optional<Joules> most_energy(Nanoseconds time) const;
  // Of a run that may count, now or later; infinite without a slowdown.
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
