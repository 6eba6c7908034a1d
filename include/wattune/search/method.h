// Methods: procedures that tune code and clocks for energy, step by step, in the place of a strategy. make_method()
// makes one by its name. make_occupancy_walk() makes a walk over block shapes and clocks.
//
// Five methods are those of Schoonhoven, Veenboer, van Werkhoven, Batenburg, "Going green: optimizing GPUs for energy
// efficiency through model-steered auto-tuning", PMBS 2022, section V. One more is the model-steered method of that
// paper (section IV). One looks for the least energy at a bounded loss of speed, and one follows advice on clocks. The
// last two are the walks for one kernel by Guerreiro, Ilic, Roma, Tomas, "Multi-kernel auto-tuning on GPUs: performance
// and energy-aware optimization", PDP 2015.
//
// Each step keeps some parameters fixed and looks for the least time or energy over the others; its result narrows the
// next step. A method is a Strategy: it runs on devices and on recorded spaces alike, never measures a configuration
// twice, and resumes an earlier run. chosen() is its best answer so far.
//
// Clock parameters are those whose role is set on the board (core/parameter.h). Observations need the metric `energy`,
// in joules. The space must outlive the method. One thread at a time uses a method.
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

#include "wattune/core/export.h"
#include "wattune/core/parameter.h"
#include "wattune/core/units.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

// A block shape of an occupancy walk.
struct WATTUNE_EXPORT WalkCandidate {
  ConfigurationId id = 0;     // any configuration with this shape, at any clock
  double occupancy = 0.0;     // theoretical occupancy, 0 to 1
  std::uint64_t threads = 0;  // threads of a block
};

// The options of an occupancy walk.
struct WATTUNE_EXPORT WalkOptions {
  // Least share of the best occupancy; shapes below it are left out.
  double least_occupancy = 0.8;
  // Share by which a cost may be worse and still count as equal, so that the walk continues. It stands for the noise of
  // a measurement.
  double indifference = 0.0;
  bool lower_clock = true;  // false to vary only shapes (algorithm 1) while the clock stays the highest
  // Two objectives, the first of which the walk minimises; if empty, the walk minimises the objective that tell()
  // gives.
  std::vector<Objective> objectives = {};
};

// Returns the shapes of a walk. The function is called once, when the walk begins, because the board may be unknown
// before.
using BlockShapes = std::function<std::vector<WalkCandidate>()>;

// Makes an occupancy walk: over block shapes from the highest occupancy down, and over clocks from the highest down,
// each until the first value that is worse. Among shapes of equal occupancy the larger block comes first. The space
// must outlive the walk.
//
// The walk is algorithm 1 of Guerreiro et al. (block shapes alone) if no clock varies, else algorithm 2, with print
// errors corrected. After a change of shape the walk tries lower clocks again, from the present one on. The walk does
// so at the last shape, too. No run is made twice. The walk ends because the clock only falls. The paper returns the
// point where the walk stands; this one settles on the least cost that it met.
WATTUNE_EXPORT std::unique_ptr<Strategy> make_occupancy_walk(const space::SearchSpace& space, BlockShapes shapes,
                                                             const WalkOptions& options = {});

// A description of a method, as it is shown in lists.
struct WATTUNE_EXPORT MethodInfo {
  std::string name;
  std::string description;  // description in one line
  // The objectives of a run with this method, the most important first.
  std::vector<Objective> objectives;
  bool needs_clocks = false;     // makes no sense in a space without a graphics clock of several values
  bool walks_shapes = false;     // needs MethodOptions::shapes
  bool within_slowdown = false;  // limits the slowdown (MethodOptions::slowdown) against the fastest known one
  bool follows_advice = false;   // needs MethodOptions::advised_clock
};

// Returns every method, in the order to show them. The list, and what find_method() points to, live as long as the
// program.
WATTUNE_EXPORT const std::vector<MethodInfo>& methods();
// Returns the method of this name; nullptr if there is none.
WATTUNE_EXPORT const MethodInfo* find_method(std::string_view name);

// Time and energy of one configuration at one clock.
struct WATTUNE_EXPORT ClockPoint {
  Megahertz clock;
  Nanoseconds time;
  Joules energy;
};

// A range of clocks, both ends included.
struct WATTUNE_EXPORT ClockRange {
  Megahertz low;
  Megahertz high;
};

// Chooses the clocks that are worth tuning at, from a sweep that is ascending by clock. The function may use a model of
// power and clock.
using ClockWindow = std::function<Result<ClockRange>(const std::vector<ClockPoint>&)>;

// Advises on the clock at which one version of a kernel is measured next. Takes its measured points, in ascending order
// of clock. Returns nullopt if the best clock is already among them. The advice may come from other kernels that were
// measured (tune::advised_clock()).
using AdvisedClock = std::function<Result<std::optional<Megahertz>>(const std::vector<ClockPoint>&)>;

// Returns the clocks within 10 % to either side of the one with the least measured energy (the margin of Schoonhoven et
// al. 2022, without their model). Fails with invalid_argument if the sweep is empty.
WATTUNE_EXPORT Result<ClockRange> window_around_least_energy(const std::vector<ClockPoint>& sweep);

// The options of a method: plain values.
struct WATTUNE_EXPORT MethodOptions {
  std::uint64_t seed = 1;
  // The configuration to propose first. `model-steered` begins with the code of this configuration and searches over
  // the clocks. If this is empty or not in the space, no configuration is proposed first, and `model-steered` begins
  // with the default one.
  std::optional<ConfigurationId> start = {};
  // The clock at which `energy-to-solution+clocks` tunes the code; the nearest clock counts. If empty, the clock of the
  // start configuration is used.
  std::optional<Megahertz> base_clock = {};
  // The largest number of evaluations of all steps together. A step for which too few evaluations are left is searched
  // by the strategy `auto`; other steps are evaluated whole. If empty, all steps are evaluated whole.
  std::optional<std::uint64_t> evaluations = {};
  // The longest time of the run, as Strategy::see() tells it. The strategy `auto` then searches the step that covers
  // all code, until the later steps need the remaining time. If empty, there is no limit of time.
  std::optional<Nanoseconds> time = {};
  // Largest slowdown that `energy-under-slowdown` accepts, against the fastest configuration that it met: 0.1 for 10 %.
  double slowdown = 0.10;
  ClockWindow window = {};  // window_around_least_energy() if empty
  // The largest number of clocks that `model-steered` measures with one code before it looks at other code. Within that
  // limit it measures a third of the clocks, or four if that is more.
  std::size_t sweep = 10;
  AdvisedClock advised_clock = {};  // the source of advice; `advised` needs it
  // Constraints of the space, for a space that is too large to be listed.
  std::vector<Constraint> constraints = {};
  std::vector<space::Predicate> predicates = {};
  BlockShapes shapes = {};  // the block shapes for occupancy walks
};

// Makes the method of this name. Fails with not_found (and the nearest name) if there is none. Fails with
// invalid_argument if the space lacks the clocks that the method changes, or if the slowdown is negative. Fails with
// invalid_argument, too, if a walk has no shapes, or if there is no advice to follow.
WATTUNE_EXPORT Result<std::unique_ptr<Strategy>> make_method(const std::string& name, const space::SearchSpace& space,
                                                             const MethodOptions& options = {});

}  // namespace wattune::search
