// Finds the origins of a kernel's addresses of shared memory.
#pragma once

#include "slice/function_body.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Returns the first access to shared memory, of the kernel and all that it calls, whose address does not come from a
// shared variable; nullptr if there is none. Such an address is a plain number, or comes from a parameter or from
// memory. It may lie in memory that a twin declares.
const PtxInstruction* find_raw_shared_access(const PtxFunction& entry, FunctionBodies& bodies);

}  // namespace wattune::slice
