// Start: where a search begins that knows nothing of its space.
//
// Hardware works in powers of two: warps, banks, vectors, cache lines. Where a parameter lists powers of two and other
// numbers (16, 32, 48, 64, ...), the powers are the better bet, so that the first configurations keep to them.
#pragma once

#include "search/coordinates.h"

namespace wattune::search {

// The point with each coordinate that may be another number moved to the nearest power of two in the list (of two, the
// lower). Lists with other values than positive integers, and those of powers or without any, leave it as it is.
Coordinates to_powers_of_two(const space::SearchSpace& space, Coordinates point);

// Half of extents(). The ends of tuning parameters are seldom good.
Coordinates middle_of(const space::SearchSpace& space);

}  // namespace wattune::search
