// Instructions at which threads wait for other threads of their block or warp.
#pragma once

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Tells whether the instruction is a bar or barrier of the block, not of a warp or a cluster.
bool is_block_barrier(const PtxInstruction& instruction);
// Returns the number of such a barrier; nullptr if it is missing.
const PtxOperand* barrier_number(const PtxInstruction& barrier);
// Tells whether such a barrier waits for a stated number of threads, and not for all that have not exited.
bool counts_threads(const PtxInstruction& barrier);
// Tells whether the instruction is a bar.sync or barrier.sync of all threads that have not exited, which is one without
// a count.
bool is_block_wide_barrier(const PtxInstruction& instruction);

// Returns the mask of lanes that an operation of a warp waits for, apart from those that have exited; nullptr if it
// names none.
const PtxOperand* awaited_lanes(const PtxInstruction& instruction);
// Tells whether the instruction returns a mask of lanes that have not returned.
bool finds_living_lanes(const PtxInstruction& instruction);

}  // namespace wattune::slice
