// Energy of a kernel, from the counter that some boards have.
//
// Boards publish their counter every 20 to 100 ms, so the kernel runs again and again between two moments at which the
// counter changed (docs/measure.md).
#pragma once

#include <vector>

#include "wattune/backend/device.h"
#include "wattune/measure/policy.h"

namespace wattune::tune {

// A figure, and by how much the truth may lie above or below it.
template <typename T>
struct Measured {
  T value;
  T uncertainty;
};

// The uncertainty is that of the two ends, which are known to a batch of runs and a reading of the counter.
struct EnergyFigures {
  Measured<Watts> power;    // of the board, over the whole time
  Measured<Joules> energy;  // of the board for one run, with the restoring of what it overwrites
  Nanoseconds took;         // between the two changes of the counter
};

// unavailable: the device has no counter that can be read.
Result<void> check_energy_counter(backend::Device& device);

// Takes at least `window`. `time` is about what a run takes. unavailable: the counter stands still; else as the
// runner and the device fail.
Result<EnergyFigures> measure_energy(backend::Device& device, measure::Runner& runner, Nanoseconds time,
                                     Nanoseconds window);

// The medians of several measurements. Precondition: there is one.
EnergyFigures median_of(const std::vector<EnergyFigures>& figures);

}  // namespace wattune::tune
