// The mean power of a machine's board over a window, while nothing runs and while a kernel does.
#pragma once

#include <array>

#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

// The board tells no energy.
Error no_energy();
Watts idle_for(Machine& machine, Nanoseconds window);
// Alone and whole, for as many runs as take the window at the board's own clocks. Precondition: what it takes alone is
// known.
Result<Watts> run_for(Machine& machine, KernelId kernel, Nanoseconds window);
// The same of its persistent twin with so many resident blocks, at this speed over that of the kernel itself.
Result<Watts> run_twin_for(Machine& machine, KernelId kernel, unsigned per_sm, double speed, Nanoseconds window);
// Two kernels, again and again in this way, until the window has passed.
Result<Watts> run_both_for(Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape,
                           Nanoseconds window);

}  // namespace wattune::schedule
