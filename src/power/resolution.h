// Finds the resolution of a power sensor. A constant level is rounded in the same way in every reading, so that
// averaging does not reduce the error.
#pragma once

#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// Returns 1 W or 0.1 W if all readings are multiples of it; 0 W if the resolution is finer.
Watts resolution_of(const Trace<Watts>& power);

}  // namespace wattune::power
