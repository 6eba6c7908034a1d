// Finds pairs for which queues need no pilots.
#pragma once

#include <vector>

#include "schedule/session/stage.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Returns the pairs of these kernels of the stage that need no pilots, since earlier runs measured them. Sweeps do not
// measure twins on SMs of their own; queues of several kernels need these, but two kernels with a proven way do not.
// Ways of whole kernels that were not measured are tried by works of the queue. Fails with errors of the forecaster.
Result<PairTable> known_pairs(const Stage& stage, const std::vector<KernelTraits>& kernels,
                              const MachineLimits& limits);

}  // namespace wattune::schedule
