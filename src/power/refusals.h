// Refuses to set clocks that this process could set, unless the user takes them over.
#pragma once

#include <sys/types.h>

#include "backend/interface/board_reading.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::power {

// Fails with unavailable if WATTUNE_LEAVE_CLOCKS is set, for machines whose clocks nobody may change, whatever a spec
// says. Stand-ins may be set nevertheless.
Result<void> check_allowed(const backend::nvml::KnownBoard& board);

// Fails with unavailable or busy, in one line, if MIG is on, if somebody else has set this board or computes on it, or
// if that cannot be determined. `user` and processes that it started may compute there. `has_context` says that one of
// them does, so that a list without it is not believed.
Result<void> check_free(const backend::nvml::KnownBoard& board, pid_t user, bool has_context);

}  // namespace wattune::power
