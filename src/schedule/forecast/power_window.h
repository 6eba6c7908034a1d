// The mean power of a machine's board over a window, while nothing runs and while a kernel does.
#pragma once

#include <array>

#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// Returns the error for a board that reports no energy.
Error no_energy();
// Returns the mean power while nothing runs.
Watts idle_for(Machine& machine, Nanoseconds window);
// Returns the mean power of a kernel alone and whole, over as many runs as fill the window at the board's own clocks.
// Precondition: its time alone is known.
Result<Watts> run_for(Machine& machine, KernelId kernel, Nanoseconds window);
// Returns the same for its persistent twin with this many resident blocks. `speed` is the speed of the twin, divided by
// the speed of the kernel.
Result<Watts> run_twin_for(Machine& machine, KernelId kernel, unsigned per_sm, double speed, Nanoseconds window);
// Returns the mean power of two kernels that run again and again in this way until the window has passed.
Result<Watts> run_both_for(Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape,
                           Nanoseconds window);

}  // namespace wattune::schedule
