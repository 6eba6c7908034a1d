// Recognises instructions at which threads wait for other threads of their block or warp.
#pragma once

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// True if the instruction is a `bar` or `barrier` of the thread block, not of a warp or a cluster.
bool is_block_barrier(const PtxInstruction& instruction);
// Returns the operand with the number of a block's barrier; nullptr if it is missing.
const PtxOperand* barrier_number(const PtxInstruction& barrier);
// True if a block's barrier waits for a stated number of threads, instead of all threads that have not exited.
bool counts_threads(const PtxInstruction& barrier);
// True if the instruction is a bar.sync or barrier.sync without a count of threads: it waits for all threads of the
// block that have not exited.
bool is_block_wide_barrier(const PtxInstruction& instruction);

// Returns the mask of the lanes for which a warp-level operation waits, as far as they have not exited. Returns nullptr
// if the instruction has no such mask.
const PtxOperand* awaited_lanes(const PtxInstruction& instruction);
// True if the instruction returns a mask of lanes that have not exited.
bool finds_living_lanes(const PtxInstruction& instruction);

}  // namespace wattune::slice
