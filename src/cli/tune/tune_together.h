// Runs `wattune tune --together` and `--partner`: tunes several kernels as one, or one kernel for a partner.
#pragma once

#include "cli/program/command.h"
#include "cli/tune/tune_options.h"

namespace wattune::cli {

// Tunes kernels that run together. Nothing is written before all input was checked. Precondition:
// options.together.wanted().
Result<ExitStatus> tune_together(const TuneOptions& options);

}  // namespace wattune::cli
