// Neighbours of a configuration, found on the diagram.
#pragma once

#include <vector>

#include "space/diagram.h"

namespace wattune::space {

// The ids one change away, ascending.
std::vector<Uint128> hamming_neighbours(const Diagram& diagram, const ValueIndices& indices);

// Ids within a box around a configuration: allowed[l] are the values that level l may take, ascending, the
// configuration's own among them. The configuration itself is left out. When there are more than `limit`, only those
// that differ in at most d parameters, with the largest d that keeps within the limit, but at least 1. Ascending.
std::vector<Uint128> box_neighbours(const Diagram& diagram, const ValueIndices& indices,
                                    const std::vector<std::vector<std::uint16_t>>& allowed, std::size_t limit);

}  // namespace wattune::space
