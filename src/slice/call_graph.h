// Who calls whom in a module, and what functions do directly or through those that they call.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/coordinates.h"
#include "slice/memory_use.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// Declarations and definition of a name are one function.
struct CalledFunction {
  const PtxFunction* function = nullptr;             // the definition, where there is one
  std::set<std::string_view> callees;                // direct ones that the module declares
  const PtxInstruction* indirect_call = nullptr;     // the first through a register
  const PtxInstruction* reads_coordinate = nullptr;  // the first that does
  CoordinateSet coordinates;                         // that it and all that it calls directly read
  MemoryUses memory;                                 // of it and all that it calls
  bool recursive = false;                            // it may call itself, directly or through others
};

struct CallGraph {
  std::map<std::string_view, CalledFunction> functions;
  std::set<std::string_view> address_taken;     // what indirect calls may reach
  MemoryUses memory_of_indirect_calls;          // of all that they may reach
  std::set<std::string_view> shared_variables;  // those of the module

  // The function itself and all that it calls, directly and indirectly.
  std::set<std::string_view> reachable(std::string_view name) const;
  // The same through direct calls alone.
  std::set<std::string_view> called_directly(std::string_view name) const;
  CoordinateSet coordinates(std::string_view name) const { return functions.at(name).coordinates; }
};

CallGraph call_graph_of(const PtxTree& tree);

// What the callee does, of a call; its own uses, of any other instruction.
MemoryUses memory_uses_of(const PtxInstruction& instruction, const CallGraph& calls);

// What a call calls: a function's name or a register; empty where it is no call.
std::string_view callee_of(const PtxInstruction& instruction);

}  // namespace wattune::slice
