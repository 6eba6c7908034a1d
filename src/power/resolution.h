// In which steps a power sensor tells: a level that stands is rounded alike in every reading, which no mean takes away.
#pragma once

#include "wattune/power/recorder.h"

namespace wattune::power {

// Whole watts or tenths, where all that it showed is; 0 W: finer.
Watts resolution_of(const Trace<Watts>& power);

}  // namespace wattune::power
