// A function as the analyses of its loops see it.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/call_graph.h"
#include "slice/flow.h"
#include "slice/memory_use.h"
#include "slice/variables.h"

namespace wattune::slice {

struct FunctionBody {
  // Precondition: the function has a body, and the graph is that of its module.
  FunctionBody(const PtxFunction& of, const CallGraph& calls);

  const PtxFunction& function;
  Flow flow;
  std::vector<std::uint32_t> meeting;   // of each block, where its ways meet
  std::vector<std::uint32_t> block_of;  // each instruction
  std::vector<MemoryUses> memory;       // of each instruction; a call's are its callee's
  Variables variables;

 private:
  void narrow_generic_uses(const CallGraph& calls, PtxSpace space);
};

}  // namespace wattune::slice
