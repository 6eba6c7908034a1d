// The block shapes of a space, for procedures that walk over them by occupancy.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/search/occupancy_walk.h"
#include "wattune/space/search_space.h"

namespace wattune::tune {

// Each valid combination of the values of those parameters that the work-group of the first launch reads, or where none
// does of `block_size_x`, `_y` and `_z` (Kernel Tuner's names); all other parameters as in the default configuration.
// The occupancy is that of the threads alone, as nothing is compiled yet (model/occupancy.h); of an unknown
// architecture it is 1. Empty: no parameter is of a block shape.
std::vector<search::WalkCandidate> block_shapes(const KernelSpec& spec, const space::SearchSpace& space,
                                                const std::string& architecture);

}  // namespace wattune::tune
