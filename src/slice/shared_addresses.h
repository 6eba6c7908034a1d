// Where a kernel's addresses of shared memory come from.
#pragma once

#include "slice/call_graph.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// The first access to shared memory, of the kernel and all that it calls, whose address does not come from a shared
// variable: a plain number, or one that a parameter or memory holds. It may meet what a twin declares. nullptr: none.
const PtxInstruction* find_raw_shared_access(const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
