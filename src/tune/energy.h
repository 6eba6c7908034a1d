// Energy of a kernel, from the counter that some boards have.
//
// Boards publish their counter every 20 to 100 ms, so the kernel runs again and again between two moments at which the
// counter changed (docs/measure.md).
#pragma once

#include "wattune/backend/device.h"
#include "wattune/measure/policy.h"

namespace wattune::tune {

struct EnergyFigures {
  double watts = 0.0;   // of the board, over the whole time
  double joules = 0.0;  // of the board for one run, with the restoring of what it overwrites
};

// unavailable: the device has no counter that can be read.
Result<void> check_energy_counter(backend::Device& device);

// Takes about a second. `time` is about what a run takes. unavailable: the counter stands still; else as the
// runner and the device fail.
Result<EnergyFigures> measure_energy(backend::Device& device, measure::Runner& runner, Nanoseconds time);

}  // namespace wattune::tune
