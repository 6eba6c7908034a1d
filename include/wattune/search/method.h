// Methods: procedures that tune code and clocks for energy, step by step, in the place of a strategy.
//
// The five of Schoonhoven, Veenboer, van Werkhoven, Batenburg, "Going green: optimizing GPUs for energy efficiency
// through model-steered auto-tuning", PMBS 2022, section V, its model-steered one (section IV), the least energy at a
// bounded loss of speed, and the two for one kernel of Guerreiro et al., PDP 2015 (occupancy_walk.h). A step keeps some
// parameters, looks for the least time or energy over the others, and what it found narrows the next step. Being a
// Strategy, a method runs on devices and on recorded spaces alike, never measures a configuration twice, and goes on
// where an earlier run ended. `chosen()` is what it has settled on so far.
//
// Clock parameters are those whose role is set on the board (core/parameter.h). Observations need the metric `energy`,
// in joules. The space outlives the method; one thread at a time.
//
//   WATTUNE_ASSIGN(auto method, make_method("race-to-idle+clocks", space));
//   for (auto id : method->ask(1)) method->tell(id, measure(id));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/objective.h"
#include "wattune/core/parameter.h"
#include "wattune/core/units.h"
#include "wattune/search/occupancy_walk.h"
#include "wattune/search/strategy.h"

namespace wattune::search {

struct MethodInfo {
  std::string name;
  std::string description;  // one line
  // What a run of it searches for, the first above all.
  std::vector<Objective> objectives;
  bool needs_clocks = false;     // means nothing in a space without a graphics clock of several values
  bool walks_shapes = false;     // needs MethodOptions::shapes
  bool within_slowdown = false;  // of the fastest that it has met (MethodOptions::slowdown)
};

// Every method, in the order to show them. Lives as long as the program, as what find_method() points to.
const std::vector<MethodInfo>& methods();
// The one of this name; nullptr: there is none.
const MethodInfo* find_method(std::string_view name);

// What one configuration took at a clock.
struct ClockPoint {
  Megahertz clock;
  Nanoseconds time;
  Joules energy;
};

struct ClockRange {
  Megahertz low;
  Megahertz high;
};

// Which clocks are worth tuning at, from a sweep, ascending by clock. A model of power and clock is one.
using ClockWindow = std::function<Result<ClockRange>(const std::vector<ClockPoint>&)>;

// The least energy of the sweep itself, 10 % to either side (the paper's margin, without its model). invalid_argument:
// there is no point.
Result<ClockRange> window_around_least_energy(const std::vector<ClockPoint>& sweep);

struct MethodOptions {
  std::uint64_t seed = 1;
  // Proposed first, and swept over the clocks by `model-steered`; count() and above mean none, then the space's default
  // configuration is swept.
  ConfigurationId start = ~ConfigurationId{0};
  // At which `energy-to-solution+clocks` tunes the code; the nearest clock counts. None: that of the start
  // configuration.
  std::optional<Megahertz> base_clock = {};
  // All steps together; a step for which that leaves too few is searched by `auto`, others whole. None: all whole.
  std::optional<std::uint64_t> evaluations = {};
  // The same of the time of the run, which Strategy::see() tells: a step over all code is searched by `auto`, until
  // what follows needs the rest. None: time does not matter.
  std::optional<Nanoseconds> time = {};
  // By how much `energy-under-slowdown` may be slower than the fastest that was met: 0.1 for 10 %.
  double slowdown = 0.10;
  ClockWindow window = {};  // none: window_around_least_energy()
  std::size_t sweep = 10;   // clocks that `model-steered` looks at, evenly spaced, the ends included
  // Of the space, for one that is too large to be listed.
  std::vector<Constraint> constraints = {};
  // That the occupancy walks go over (occupancy_walk.h).
  std::vector<WalkCandidate> shapes = {};
};

// not_found (with the nearest name); invalid_argument: the space lacks the clocks that the method changes, there are no
// shapes for a walk, or a negative slowdown.
Result<std::unique_ptr<Strategy>> make_method(const std::string& name, const space::SearchSpace& space,
                                              const MethodOptions& options = {});

}  // namespace wattune::search
