// `wattune tune --together` and `--partner`: several kernels tuned as one, and one kernel for a partner.
#pragma once

#include "cli/command.h"
#include "cli/tune_options.h"

namespace wattune::cli {

// Precondition: options.together.wanted(). Nothing is written before everything the user gave was checked.
Result<ExitStatus> tune_together(const TuneOptions& options);

}  // namespace wattune::cli
