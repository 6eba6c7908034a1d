// Finds the resolution of a power sensor, and the error that it leaves. A constant level is rounded in the same way in
// every reading, so that averaging does not reduce the error. If noise spreads readings over several steps, averaging
// does reduce it.
#pragma once

#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

// Returns 1 W or 0.1 W if all readings are multiples of it; 0 W if the resolution is finer.
Watts resolution_of(const Trace<Watts>& power);

// Returns the largest error that rounding leaves in the mean power of a time: half a step, or less with noise.
Watts rounding_of(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

// Returns the variance of the time for which a reading counts, in squared periods. A reading counts longer if the next
// one comes late or is lost. It counts twice if the next one shows the same value.
double variance_of_weights(const Trace<Watts>& power, Nanoseconds begin, Nanoseconds end);

}  // namespace wattune::power
