// How control flows through a function: blocks of instructions and where each can go.
#pragma once

#include <cstdint>
#include <vector>

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

// Of each block, the number of its strongly connected component, and whether that is a loop.
struct Loops {
  std::vector<std::uint32_t> component;
  std::vector<bool> is_loop;  // by component

  bool in_loop(std::uint32_t block) const { return is_loop[component[block]]; }
};

Loops loops_of(const Flow& flow);

// `ret` and `exit`.
bool leaves(const PtxInstruction& instruction);

}  // namespace wattune::slice
