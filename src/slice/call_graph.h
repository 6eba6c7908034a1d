// The callers and callees of a module's functions, and the memory use of each function with all that it calls.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/coordinates.h"
#include "slice/interface/ptx_tree.h"
#include "slice/memory_use.h"

namespace wattune::inline v0_1::slice {

// A function of the module. All declarations of a name and its definition are one function.
struct CalledFunction {
  const PtxFunction* function = nullptr;             // the definition if there is one, else a declaration
  std::set<std::string_view> callees;                // direct ones that the module declares
  const PtxInstruction* indirect_call = nullptr;     // the first call through a register
  const PtxInstruction* reads_coordinate = nullptr;  // the first instruction that reads one
  CoordinateSet coordinates;                         // those that it and all that it calls directly read
  MemoryUses memory;                                 // of it and all that it calls
  bool recursive = false;                            // it may call itself, directly or through others
};

struct CallGraph {
  std::map<std::string_view, CalledFunction> functions;
  std::set<std::string_view> address_taken;     // possible targets of indirect calls
  MemoryUses memory_of_indirect_calls;          // of all these targets
  std::set<std::string_view> shared_variables;  // of the module

  // Returns the function itself and all that it calls, directly and indirectly.
  std::set<std::string_view> reachable(std::string_view name) const;
  // Returns the function itself and all that it reaches through direct calls alone.
  std::set<std::string_view> called_directly(std::string_view name) const;
  CoordinateSet coordinates(std::string_view name) const { return functions.at(name).coordinates; }
};

CallGraph call_graph_of(const PtxTree& tree);

// Returns the callee's uses for a call, and the instruction's own uses otherwise.
MemoryUses memory_uses_of(const PtxInstruction& instruction, const CallGraph& calls);

// Returns the function's name or the register that a call names; empty if it is no call.
std::string_view callee_of(const PtxInstruction& instruction);

}  // namespace wattune::slice
