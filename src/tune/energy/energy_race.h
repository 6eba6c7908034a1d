// EnergyRace: decides by the time of a configuration whether it takes too much energy to win, before energy is
// measured.
//
// A run of time t takes P t + D joules. P is the power of the board with a context and nothing to do. D, the dynamic
// energy, is the energy that the work takes in addition, and is never negative. The configurations of one kernel do the
// same work, so their D differ far less than their times. So every D is assumed to be at least three quarters of the
// least one measured (docs/results/energy-search.md). So a run that takes longer than a certain time surely takes more
// joules than the best.
//
//   EnergyRace race(as_good_as(best, metrics, configuration), {idle, least_dynamic.at(setting)});
//   if (time > race.longest_time()) leave_out(race.least_energy(time));
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tune/evaluate/metrics.h"
#include "wattune/backend/clock_control.h"

namespace wattune::inline v0_1::tune {

// The least dynamic energy measured for a run, at each setting of the board.
class LeastDynamicEnergy {
 public:
  using Setting = std::optional<backend::BoardSetting>;  // setting of the board; nullopt if it has its own clocks

  void learn(const Setting& setting, Joules dynamic);
  // Returns the least energy that was measured at a setting; nullopt if no energy was measured there.
  std::optional<Joules> at(const Setting& setting) const;

 private:
  std::vector<std::pair<Setting, Joules>> known_;
};

// A function that returns the most energy with which a run of this time is as good as the known best; nullopt if any
// energy is good enough. The energy does not grow with the time.
using MostEnergy = std::function<std::optional<Joules>(Nanoseconds time)>;
// Makes a MostEnergy function for `best`, the objective of a configuration. Less energy must improve that objective,
// and more time must never do so. `metrics` must outlive the function.
MostEnergy as_good_as(double best, const Metrics& metrics, const Configuration& configuration);

class EnergyRace {
 public:
  // The board's idle power at its present clocks, and the least dynamic energy of a run that was measured at them.
  struct Board {
    Watts idle;
    std::optional<Joules> least_dynamic;
  };

  // Makes a race. A run that takes longer than `longest` cannot win, whatever energy it takes.
  EnergyRace(MostEnergy most_energy, const Board& board,
             Nanoseconds longest = Nanoseconds(std::numeric_limits<double>::infinity()));

  // Returns the least possible energy of a run of this time.
  Joules least_energy(Nanoseconds time) const { return idle_ * time + dynamic_; }
  std::optional<Joules> most_energy(Nanoseconds time) const { return most_energy_(time); }
  // Returns the longest time with which a run may be as good as the best; infinite if it is unknown.
  Nanoseconds longest_time() const { return longest_time_; }

 private:
  bool may_win(Nanoseconds time) const;
  Nanoseconds find_longest_time() const;

  MostEnergy most_energy_;
  Watts idle_;
  Joules dynamic_;
  Nanoseconds longest_time_;
};

}  // namespace wattune::tune
