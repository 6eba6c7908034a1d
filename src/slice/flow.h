// How control flows through a function: blocks of instructions and where each can go.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/components.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// Instructions that are only entered at the first and only left at the last.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;                 // the one behind the last
  std::vector<std::uint32_t> successors;  // blocks; Flow::exit stands for leaving the function
};

struct Flow {
  std::vector<FlowBlock> blocks;  // the first is entered by the caller; the last one, `exit`, is empty
  std::uint32_t exit = 0;

  std::uint32_t block_of(std::uint32_t instruction) const;
};

// Branches to labels that do not exist go nowhere. Precondition: the function has a body.
Flow flow_of(const PtxFunction& function);

// Of each block, the one that all ways from it to the exit pass first; the exit for those that never leave, and its
// own.
std::vector<std::uint32_t> post_dominators(const Flow& flow);

// The blocks that a branch decides about: those behind it, up to where its ways meet.
std::vector<std::uint32_t> blocks_between(const Flow& flow, std::uint32_t branch, std::uint32_t meeting);

// Blocks that lead back to each other.
struct Loop {
  std::vector<std::uint32_t> blocks;  // in ascending order
  std::uint32_t head = 0;             // without it the rest holds inner loops only
};

// Outer loops and those inside them, each outer one before its own.
std::vector<Loop> loops_of(const Flow& flow);

// `ret` and `exit`.
bool leaves(const PtxInstruction& instruction);

}  // namespace wattune::slice
