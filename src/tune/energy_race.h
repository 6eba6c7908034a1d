// EnergyRace: what the time of a configuration says of its energy, before any is measured.
//
// A run of the time t takes P t + D joules. P is what the board draws with a context and nothing to do, and D, the
// dynamic energy, what the work takes beyond: never less than nothing, and of the configurations of one kernel, which
// do the same work, far more alike than their times. So three quarters of the least D that was measured are taken for
// sure (docs/results/energy-search.md). From there a time is too long for as few joules as the best takes, whatever
// else is not known.
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

#include "tune/metrics.h"
#include "wattune/backend/clock_control.h"

namespace wattune::tune {

// The least dynamic energy that was measured of a run, at each setting of the board.
class LeastDynamicEnergy {
 public:
  using Setting = std::optional<backend::BoardSetting>;  // none: the board has its own clocks

  void learn(const Setting& setting, Joules dynamic);
  // None: nothing was measured at it.
  std::optional<Joules> at(const Setting& setting) const;

 private:
  std::vector<std::pair<Setting, Joules>> known_;
};

// With how much energy a run of this time is as good as what is known; less, or as much, the longer the time. None: any
// may be.
using MostEnergy = std::function<std::optional<Joules>(Nanoseconds time)>;
// As a configuration of the objective `best`, which less energy makes better and which time alone never does.
// `metrics` outlives it.
MostEnergy as_good_as(double best, const Metrics& metrics, const Configuration& configuration);

class EnergyRace {
 public:
  // What the board draws at its setting.
  struct Board {
    Watts idle;
    std::optional<Joules> least_dynamic;
  };

  // `longest`: what takes longer is out of the race, whatever energy it takes.
  EnergyRace(MostEnergy most_energy, const Board& board,
             Nanoseconds longest = Nanoseconds(std::numeric_limits<double>::infinity()));

  // That a run of this time takes.
  Joules least_energy(Nanoseconds time) const { return idle_ * time + dynamic_; }
  std::optional<Joules> most_energy(Nanoseconds time) const { return most_energy_(time); }
  // With which a run may be as good as the best; infinite where that is not known.
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
