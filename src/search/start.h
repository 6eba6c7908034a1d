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

// Of `pool` n different ones (or all) that are not in `begun`, so that few configurations show many values: each the one
// whose values occur least in those before it, in the sum over all parameters; of equals the first. In a space without
// constraints that is a Latin hypercube design (McKay, Beckman and Conover, Technometrics 21, 1979).
std::vector<ConfigurationId> spread_over_values(const space::SearchSpace& space,
                                                const std::vector<ConfigurationId>& begun,
                                                std::vector<ConfigurationId> pool, std::size_t n);

}  // namespace wattune::search
