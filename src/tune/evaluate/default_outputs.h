// Keeps the outputs of the default configuration, which take the place of a reference if the spec has none.
#pragma once

#include <vector>

#include "tune/evaluate/expected_outputs.h"

namespace wattune::inline v0_1::tune {

// Runs the default configuration twice from the same contents. Parts that differ between the two runs are not compared.
// Returns an empty list if no outputs are compared; then `verification` says why. Fails with device_lost if a failure
// made the device unusable for good, otherwise with errors of the spec.
Result<std::vector<ExpectedOutput>> run_default(EvaluationContext& run, const Configuration& standard,
                                                Verification& verification);

}  // namespace wattune::tune
