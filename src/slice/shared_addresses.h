// Finds accesses to shared memory whose address is not that of a declared variable.
#pragma once

#include "slice/function_body.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Returns the first access to shared memory, in the kernel and all functions that it calls, whose address does not come
// from a shared variable. Returns nullptr if there is none. Such an address is a plain number, a parameter, or a value
// from memory. It may lie in shared memory that a twin adds.
const PtxInstruction* find_raw_shared_access(const PtxFunction& entry, FunctionBodies& bodies);

}  // namespace wattune::slice
