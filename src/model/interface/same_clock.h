// Compares clocks. Two clocks are the same level of a board's table, whose steps are several MHz, if they differ by 0.5
// MHz at most.
#pragma once

#include <cmath>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::model {

inline bool same_clock(Megahertz one, Megahertz other) { return std::abs((one - other).value()) <= 0.5; }

}  // namespace wattune::model
