// Finds the neighbours of a configuration on the diagram.
#pragma once

#include <vector>

#include "space/diagram/diagram.h"

namespace wattune::inline v0_1::space {

// Returns the ids of the configurations that differ in one parameter, ascending.
std::vector<Uint128> hamming_neighbours(const Diagram& diagram, const ValueIndices& indices);

// Returns the ids of the configurations in a box around a configuration, ascending, without its own id. allowed[l] has
// the values that level l may take, ascending and with the configuration's own value among them. If there are more than
// `limit`, only those that differ in at most d parameters are returned. d is the largest number that stays within the
// limit, but at least 1.
std::vector<Uint128> box_neighbours(const Diagram& diagram, const ValueIndices& indices,
                                    const std::vector<std::vector<std::uint16_t>>& allowed, std::size_t limit);

}  // namespace wattune::space
