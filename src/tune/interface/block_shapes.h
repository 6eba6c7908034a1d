// Finds the block shapes of a space, for procedures that walk over them by occupancy.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/search/method.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::tune {

// Returns one shape for each valid combination of values of the parameters that the first launch's work-group reads. If
// the work-group reads no parameter, those named `block_size_x`, `_y` and `_z` count (Kernel Tuner's names). All other
// parameters keep the values of the default configuration. The occupancy follows from the threads alone
// (model/occupancy.h), because nothing is compiled yet; Strategy::foresee() reports registers and shared memory later.
// The occupancy is 1 on an unknown architecture. Returns nothing if no parameter shapes a block.
std::vector<search::WalkCandidate> block_shapes(const KernelSpec& spec, const space::SearchSpace& space,
                                                const std::string& architecture);

// Returns a function that finds these shapes when a walk begins; returns an empty function if there are no shapes. The
// returned function refers to the arguments, which must outlive it. The architecture may be set after this call.
search::BlockShapes shapes_to_walk(const KernelSpec& spec, const space::SearchSpace& space,
                                   const std::string& architecture);

}  // namespace wattune::tune
