// Pairs that queues need no pilots for.
#pragma once

#include <vector>

#include "schedule/session/stage.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/pair_table.h"

namespace wattune::inline v0_1::schedule {

// Returns the pairs of these kernels of the stage that need no pilots, since earlier runs measured them. A sweep does
// not run twins on SMs of their own, which queues of several kernels need, and two kernels with a proven way do not.
// Works try the ways of whole kernels that were not measured. Fails with errors of the forecaster.
Result<PairTable> known_pairs(const Stage& stage, const std::vector<KernelTraits>& kernels,
                              const MachineLimits& limits);

}  // namespace wattune::schedule
