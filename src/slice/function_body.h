// A function with the control flow, variables and memory uses that the analyses of its code need.
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
  // Prepares a function for the analyses. Preconditions: the function has a body, and the call graph is that of its
  // module.
  FunctionBody(const PtxFunction& of, const CallGraph& calls);

  const PtxFunction& function;
  Flow flow;
  std::vector<std::uint32_t> meeting;   // by block: the block at which the paths from its branch join
  std::vector<std::uint32_t> block_of;  // by instruction: the block that contains it
  std::vector<MemoryUses> memory;       // by instruction: its uses of memory; a call has the uses of its callee
  Variables variables;

 private:
  void narrow_generic_uses(const CallGraph& calls, PtxSpace space);
};

// The bodies of a module's functions. Each body is prepared when of() is first called for its function.
class FunctionBodies {
 public:
  // Keeps a reference to the graph, which must outlive this object.
  explicit FunctionBodies(const CallGraph& calls) : calls_(calls) {}

  const CallGraph& calls() const { return calls_; }
  // Returns a function's body by a reference that stays valid. Precondition: the graph has the function, and the
  // function has a body.
  const FunctionBody& of(std::string_view name);

 private:
  const CallGraph& calls_;
  std::map<std::string_view, FunctionBody> bodies_;
};

}  // namespace wattune::slice
