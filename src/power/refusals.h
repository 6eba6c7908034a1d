// Refuses to set clocks that this process has the right to set, unless the user takes the board over.
#pragma once

#include <sys/types.h>

#include "backend/interface/board_reading.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::power {

// Fails with unavailable if the environment variable WATTUNE_LEAVE_CLOCKS is set. The variable protects machines whose
// clocks nobody may change. Stand-ins for NVML in tests are not protected.
Result<void> check_allowed(const backend::nvml::KnownBoard& board);

// Fails with unavailable or busy, in one line, if MIG is on, if another program has set this board or computes on it,
// or if that cannot be determined. `user` and processes that it started may compute there. `has_context` says that one
// of these computes there, so that a list of processes without it counts as incomplete.
Result<void> check_free(const backend::nvml::KnownBoard& board, pid_t user, bool has_context);

}  // namespace wattune::power
