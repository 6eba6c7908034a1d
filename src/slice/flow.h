// The control flow of a function: blocks of instructions and the successors of each.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/components.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// A basic block: it is entered only at its first instruction and left only at its last.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;                 // index behind the last instruction
  std::vector<std::uint32_t> successors;  // blocks; Flow::exit stands for leaving the function
};

struct Flow {
  std::vector<FlowBlock> blocks;  // the first is entered by the caller; the last one, `exit`, is empty
  std::uint32_t exit = 0;

  std::uint32_t block_of(std::uint32_t instruction) const;
};

// Builds the flow of a function. A branch to a label that does not exist has no successor. Precondition: the function
// has a body.
Flow flow_of(const PtxFunction& function);

// Returns for each block those that it follows directly.
Edges predecessors_of(const Flow& flow);

// Returns for each block the first other block that all ways from it to the exit pass. It is the exit for blocks that
// never leave, and for the exit itself.
std::vector<std::uint32_t> post_dominators(const Flow& flow);

// Returns the blocks that a branch decides about: those behind it, up to the point where its ways meet.
std::vector<std::uint32_t> blocks_between(const Flow& flow, std::uint32_t branch, std::uint32_t meeting);

// A loop: blocks that lead back to each other.
struct Loop {
  std::vector<std::uint32_t> blocks;  // in ascending order
  std::uint32_t head = 0;             // its first block; without it the rest holds inner loops only
};

// Returns all loops, each outer one before those inside it.
std::vector<Loop> loops_of(const Flow& flow);

// True if the instruction is `ret` or `exit`.
bool leaves(const PtxInstruction& instruction);

}  // namespace wattune::slice
