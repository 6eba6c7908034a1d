// Runs the experiment on a pair. The pair is swept in every way, its best ways run again, and its outputs are compared.
#pragma once

#include "schedule/session/stage.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/schedule/swept_pair.h"

namespace wattune::inline v0_1::schedule {

// Sweeps two kernels of the stage. Errors are those of sweep_pair(), of run_again() and of the device.
Result<SweptPair> sweep_on(Stage& stage, KernelId first, KernelId second, SweepOptions options);

// Fills in `rerun` and `planned`, with as many rounds as the sweep had. On a device, each entrant first runs once
// without being measured. If the plan is slower than the best baseline, it takes the way of that baseline, and all
// entrants run again. An entrant that fails is left out. Fails with device_lost or cancelled.
Result<void> run_again(const Stage& stage, Machine& machine, const SweepOptions& options, SweptPair& pair);

}  // namespace wattune::schedule
