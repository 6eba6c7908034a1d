// The control-flow graph of a function: its basic blocks and the successors of each.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/components.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// A basic block: code that is entered only at its first instruction and left only at its last.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;                 // index of the last instruction, plus 1
  std::vector<std::uint32_t> successors;  // basic blocks; Flow::exit stands for the function's return
};

struct Flow {
  std::vector<FlowBlock> blocks;  // basic blocks; the function begins with the first, and the last, `exit`, is empty
  std::uint32_t exit = 0;

  std::uint32_t block_of(std::uint32_t instruction) const;
};

// Builds the control-flow graph of a function. A branch to a label that does not exist has no successor. Precondition:
// the function has a body.
Flow flow_of(const PtxFunction& function);

// Returns the direct predecessors of each basic block.
Edges predecessors_of(const Flow& flow);

// Returns for each basic block its immediate post-dominator: the first other block through which all paths to the exit
// lead. Returns the exit for blocks that never reach it, and for the exit itself.
std::vector<std::uint32_t> post_dominators(const Flow& flow);

// Returns the basic blocks on the paths from a branch to `meeting`, where these paths join.
std::vector<std::uint32_t> blocks_between(const Flow& flow, std::uint32_t branch, std::uint32_t meeting);

// A loop: basic blocks of which each can be reached from every other one.
struct Loop {
  std::vector<std::uint32_t> blocks;  // basic blocks in ascending order
  std::uint32_t head = 0;             // first block of the loop; without it the other blocks form only inner loops
};

// Returns all loops. An outer loop comes before the loops inside it.
std::vector<Loop> loops_of(const Flow& flow);

// True if the instruction is `ret` or `exit`.
bool leaves(const PtxInstruction& instruction);

}  // namespace wattune::slice
