// Why clocks that one may set are left alone all the same, unless the user takes them over.
#pragma once

#include <sys/types.h>

#include "backend/nvml/board_reading.h"
#include "wattune/core/result.h"

namespace wattune::power {

// unavailable: WATTUNE_LEAVE_CLOCKS is set, for machines whose clocks nobody may touch, whatever a spec says. Stand-ins
// are set all the same.
Result<void> check_allowed(const backend::nvml::KnownBoard& board);

// unavailable or busy, in one line: somebody else has set this board, computes on it, or it cannot be told whether.
// `user` and what it started may compute there; `has_context` says that one of them does, so that a list without it is
// not believed.
Result<void> check_free(const backend::nvml::KnownBoard& board, pid_t user, bool has_context);

}  // namespace wattune::power
