// Finds pairs for which queues need no pilots.
#pragma once

#include <vector>

#include "schedule/session/stage.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Returns the forecasts of those pairs of the stage that need no pilots, because earlier runs measured them. A queue of
// several kernels also needs twins on SMs of their own, which sweeps do not measure; two kernels with a proven way do
// not need them. Works of the queue try the ways of whole kernels that were not measured. Fails with errors of the
// forecaster.
Result<PairTable> known_pairs(const Stage& stage, const std::vector<KernelTraits>& kernels,
                              const MachineLimits& limits);

}  // namespace wattune::schedule
