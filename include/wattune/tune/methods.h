// What methods that tune code and clocks (search/method.h) come to on a recorded space, beside each other.
//
// They run on the recording as on a device and are judged by the least energy that was recorded. Functions of values:
// any thread may call.
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

namespace wattune::tune {

struct MethodOutcome {
  std::string method;
  std::optional<Megahertz> base_clock;  // of the method that has one
  std::optional<Configuration> chosen;  // none: no step found anything, which the remark explains
  Nanoseconds time;                     // of what was chosen, as energy and ratio
  Joules energy;
  double energy_ratio = 0.0;    // to the least energy recorded
  std::size_t evaluations = 0;  // configurations that were measured, each once, failed ones too
  std::string remark;
};

// Without `options.start` the method begins with its first step. The occupancy walks go over the values of parameters
// that are named as Kernel Tuner names block sizes. invalid_argument: no correct Trial has an energy;
// otherwise as search::make_method().
Result<MethodOutcome> replay_method(const std::string& method, const Recording& recording,
                                    const space::SearchSpace& space, const search::MethodOptions& options = {});

// Every method that the space has the clocks and the block shapes for; energy-to-solution+clocks once from each clock.
// Errors as above.
Result<std::vector<MethodOutcome>> compare_methods(const Recording& recording, const space::SearchSpace& space,
                                                   const search::MethodOptions& options = {});

// The window of a method that is steered by a model: EnergyFit::steered of the swept code (tune/energy_fit.h). Where a
// sweep is no ground for a fit, with fewer than five clocks, 10 % to either side of its own least energy.
Result<search::ClockRange> steered_window(const std::vector<search::ClockPoint>& sweep);

// The values of the graphics clock, ascending; none where no parameter is one.
std::vector<Megahertz> graphics_clocks(const std::vector<Parameter>& parameters);

}  // namespace wattune::tune
