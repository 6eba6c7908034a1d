// The steps in which a power sensor tells: a level that stands is rounded alike in every reading, which no mean mends.
#pragma once

#include "wattune/power/recorder.h"

namespace wattune::power {

// Returns a watt or a tenth, where all that it showed are multiples of that; 0 W: it tells finer.
Watts resolution_of(const Trace<Watts>& power);

}  // namespace wattune::power
