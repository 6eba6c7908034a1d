// EnergyRace: the conclusions that the time of a configuration allows about its energy, before any is measured.
//
// A run of time t takes P t + D joules. P is the power of the board with a context and nothing to do. D, the dynamic
// energy, is what the work takes beyond. D is never negative; and the configurations of one kernel do the same work, so
// that their D differ far less than their times. So three quarters of the least D measured are taken for certain
// (docs/results/energy-search.md). From that follows a time that is too long for as few joules as the best takes,
// whatever else is unknown.
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
  using Setting = std::optional<backend::BoardSetting>;  // nullopt: the board has its own clocks

  void learn(const Setting& setting, Joules dynamic);
  // Returns the least energy measured at a setting; nullopt if nothing was measured at it.
  std::optional<Joules> at(const Setting& setting) const;

 private:
  std::vector<std::pair<Setting, Joules>> known_;
};

// The most energy with which a run of this time is as good as what is known; nullopt if any energy may be. It does not
// grow with the time.
using MostEnergy = std::function<std::optional<Joules>(Nanoseconds time)>;
// Makes such a function for a configuration with the objective `best`, which less energy improves and more time never
// does. `metrics` outlives it.
MostEnergy as_good_as(double best, const Metrics& metrics, const Configuration& configuration);

class EnergyRace {
 public:
  // The board's power and least dynamic energy at its setting.
  struct Board {
    Watts idle;
    std::optional<Joules> least_dynamic;
  };

  // Makes a race. A run that takes longer than `longest` is out, whatever energy it takes.
  EnergyRace(MostEnergy most_energy, const Board& board,
             Nanoseconds longest = Nanoseconds(std::numeric_limits<double>::infinity()));

  // Returns the least energy of a run of this time.
  Joules least_energy(Nanoseconds time) const { return idle_ * time + dynamic_; }
  std::optional<Joules> most_energy(Nanoseconds time) const { return most_energy_(time); }
  // Returns the longest time with which a run may be as good as the best; infinite if that is not known.
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
