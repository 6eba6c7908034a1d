// What the default configuration leaves in its outputs, which takes the place of a reference where the spec has none.
#pragma once

#include <vector>

#include "tune/expected_outputs.h"

namespace wattune::tune {

// Runs it twice from the same contents: what differs between the two is not compared. Empty where nothing is, of which
// `verification` says why. device_lost: a failure spoilt the device for good; other errors are the spec's.
Result<std::vector<ExpectedOutput>> run_default(RunState& run, const Configuration& standard,
                                                Verification& verification);

}  // namespace wattune::tune
