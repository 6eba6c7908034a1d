// The actions of a persistent twin between two blocks, and the instructions that forbid such a twin.
#pragma once

#include <string>
#include <vector>

#include "slice/call_graph.h"
#include "slice/twin_code.h"

namespace wattune::inline v0_1::slice {

// Tells whether the instruction is a bar.sync or barrier.sync of all threads that have not exited, which is one without
// a count.
bool is_block_wide_barrier(const PtxInstruction& instruction);

// An instruction that a persistent twin cannot have.
struct Forbidden {
  const PtxInstruction* instruction = nullptr;
  std::string reason;
};

struct BoundaryPlan {
  Boundary boundary;
  std::vector<Forbidden> forbidden;
};

BoundaryPlan plan_boundary(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
