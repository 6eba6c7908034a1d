// A function in the form that the analyses of its code need.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "slice/call_graph.h"
#include "slice/flow.h"
#include "slice/memory_use.h"
#include "slice/variables.h"

namespace wattune::inline v0_1::slice {

struct FunctionBody {
  // Prepares a function. Preconditions: it has a body, and the graph is that of its module.
  FunctionBody(const PtxFunction& of, const CallGraph& calls);

  const PtxFunction& function;
  Flow flow;
  std::vector<std::uint32_t> meeting;   // for each block, the block where its ways meet
  std::vector<std::uint32_t> block_of;  // for each instruction
  std::vector<MemoryUses> memory;       // for each instruction; a call has the uses of its callee
  Variables variables;

 private:
  void narrow_generic_uses(const CallGraph& calls, PtxSpace space);
};

// The bodies of a module's functions, each prepared when an analysis first asks for it.
class FunctionBodies {
 public:
  // Keeps the graph, which must outlive this.
  explicit FunctionBodies(const CallGraph& calls) : calls_(calls) {}

  const CallGraph& calls() const { return calls_; }
  // Returns a function's body, which stays where it is. Precondition: the graph has the function, with a body.
  const FunctionBody& of(std::string_view name);

 private:
  const CallGraph& calls_;
  std::map<std::string_view, FunctionBody> bodies_;
};

}  // namespace wattune::slice
