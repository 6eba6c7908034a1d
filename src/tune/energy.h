// Energy of a kernel, from the counter that some boards have.
//
// Boards publish their counter every 20 to 100 ms, so the kernel runs again and again between two moments at which the
// counter changed (docs/measure.md).
#pragma once

#include <vector>

#include "wattune/backend/device.h"
#include "wattune/measure/policy.h"

namespace wattune::tune {

struct EnergyFigures {
  double watts = 0.0;   // of the board, over the whole time
  double joules = 0.0;  // of the board for one run, with the restoring of what it overwrites
  Nanoseconds took;     // between the two changes of the counter
};

// Share of a figure by which two measurements may differ from the truth: either end of a window of a second is known to
// a batch of runs and a reading, 24 ms.
inline constexpr double kEnergyUncertainty = 0.025;

// unavailable: the device has no counter that can be read.
Result<void> check_energy_counter(backend::Device& device);

// Takes at least `window`. `time` is about what a run takes. unavailable: the counter stands still; else as the
// runner and the device fail.
Result<EnergyFigures> measure_energy(backend::Device& device, measure::Runner& runner, Nanoseconds time,
                                     Nanoseconds window);

// The medians of several measurements. Precondition: there is one.
EnergyFigures median_of(const std::vector<EnergyFigures>& figures);

}  // namespace wattune::tune
