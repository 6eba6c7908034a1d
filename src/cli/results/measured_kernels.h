// Recordings of kernels at several graphics clocks, from which advice on clocks is drawn.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/tune/advise.h"

namespace wattune::cli {

// Returns the error about a file with too few clocks.
Error too_few_clocks(const std::string& file);

// Loads one code version of a recording: the one that was measured at the most clocks. Points at which power or heat
// held the clock down are left out, since their clock is not known. Fails with invalid_argument if no point is left, or
// if a recorded energy or power is not above 0. Other errors are those of store::load_results().
Result<tune::MeasuredKernel> measured_kernel(const std::string& file);
// Returns the same of results that were loaded; `file` names them in messages.
Result<tune::MeasuredKernel> measured_kernel(const ResultSet& results, const std::string& file);
// Loads all of these, except `own`, the recording of the kernel that is asked about.
Result<std::vector<tune::MeasuredKernel>> measured_kernels(const std::vector<std::string>& files,
                                                           const std::string& own = {});

}  // namespace wattune::cli
