// Compares the results that methods which tune code and clocks (search/method.h) reach on a recorded space.
//
// Methods run on the recording as on a device, and are judged by the least energy recorded. All functions are plain
// functions of values, and any thread may call them.
//
//   WATTUNE_ASSIGN(const Recording recording, Recording::match(space, std::move(results)));
//   WATTUNE_ASSIGN(const auto outcomes, compare_methods(recording, space));
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wattune/search/method.h"
#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::tune {

// The result of one method.
struct MethodOutcome {
  std::string method;
  std::optional<Megahertz> base_clock;  // base clock of the method that has one
  std::optional<Configuration> chosen;  // nullopt if no step found a configuration; the remark explains why
  Nanoseconds time;                     // of the chosen configuration, as energy and ratio
  Joules energy;
  double energy_ratio = 0.0;    // energy divided by the least energy recorded
  std::size_t evaluations = 0;  // number of measured configurations, each once, including failed ones
  std::string remark;
};

// Runs one method on the recording. Without `options.start` the method begins with its first step. The occupancy walks
// vary the parameters that have Kernel Tuner's names for block sizes.
// Fails with invalid_argument if no correct Trial has an energy; otherwise as search::make_method().
Result<MethodOutcome> replay_method(const std::string& method, const Recording& recording,
                                    const space::SearchSpace& space, const search::MethodOptions& options = {});

// Runs every method for which the space has the clocks and block shapes, and for which the options have the advice. The
// method energy-to-solution+clocks runs once from each clock. Fails as replay_method() does.
Result<std::vector<MethodOutcome>> compare_methods(const Recording& recording, const space::SearchSpace& space,
                                                   const search::MethodOptions& options = {});

// Returns the clock window of a model-steered method: EnergyFit::steered of the swept code (tune/energy_fit.h). If the
// sweep cannot be fitted, as with fewer than five clocks, returns 10 % to either side of the clock with the least
// energy in the sweep.
Result<search::ClockRange> steered_window(const std::vector<search::ClockPoint>& sweep);

// Returns the values of the graphics clock, ascending; empty if no parameter is a graphics clock.
std::vector<Megahertz> graphics_clocks(const std::vector<Parameter>& parameters);

}  // namespace wattune::tune
