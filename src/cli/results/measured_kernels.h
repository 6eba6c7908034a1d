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

// Returns a sentence on each suspect clock of the code that was measured at the most clocks. A clock is suspect if its
// power is more than half above, or more than half below, both powers at the neighbouring clocks. The two clocks
// nearest to the lowest or the highest clock count as its neighbours. A high power at the highest clock, or a low one
// at the lowest, is not suspect.
std::vector<std::string> stray_texts(const ResultSet& results);
// Returns a sentence on the configurations whose memory clock is unknown; empty if there are none.
std::string unknown_memory_text(const ResultSet& results);
// Returns a sentence on so many configurations with energies or powers that are not above 0.
std::string impossible_text(std::size_t configurations);
// True if power or heat held the clock down while the energy was measured.
bool is_throttled(const Observation& observation);

// Loads the code of a recording that was measured at the most clocks. Points at which power or heat held the clock down
// are left out, since their clock is not known. Notes powers that stand out. Fails with invalid_argument if no point is
// left, or if a recorded energy or power is not above 0; and as store::load_results() does.
Result<tune::MeasuredKernel> measured_kernel(const std::string& file);
// Returns the kernel that measured_kernel() returns for a file, from results that are loaded already. `file` names them
// in messages.
Result<tune::MeasuredKernel> measured_kernel(const ResultSet& results, const std::string& file);
// Loads all of these, except `own`, the recording or the spec of the kernel that is asked about. Notes recordings of
// different boards or memory clocks. Fails with invalid_argument if a recording has a memory clock that is unknown.
Result<std::vector<tune::MeasuredKernel>> measured_kernels(const std::vector<std::string>& files,
                                                           const std::string& own = {});

}  // namespace wattune::cli
