// Measures the mean power of a machine's board over a window, without a kernel and with one or two.
#pragma once

#include <array>

#include "wattune/core/result.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// Returns the error for a board that reports no energy.
Error no_energy();
// Returns the mean power while no kernel runs.
Watts idle_for(Machine& machine, Nanoseconds window);
// Returns the mean power while the whole kernel runs alone, again and again until the window has passed. Precondition:
// the kernel's time alone is known.
Result<Watts> run_for(Machine& machine, KernelId kernel, Nanoseconds window);
// Returns the mean power as run_for() does, for the kernel's persistent twin with `per_sm` resident blocks on each SM.
// `speed` is the twin's speed divided by that of the kernel.
Result<Watts> run_twin_for(Machine& machine, KernelId kernel, unsigned per_sm, double speed, Nanoseconds window);
// Returns the mean power while two kernels run again and again in this shape until the window has passed.
Result<Watts> run_both_for(Machine& machine, const std::array<KernelId, 2>& pair, const PairShape& shape,
                           Nanoseconds window);

}  // namespace wattune::schedule
