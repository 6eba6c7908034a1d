// Finds the callers and callees of a module's functions, and which memories each function and its callees use.
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

// A function of the module. All declarations of a name and its definition count as one function.
struct CalledFunction {
  const PtxFunction* function = nullptr;             // the definition if there is one, else a declaration
  std::set<std::string_view> callees;                // functions of the module that this function calls by name
  const PtxInstruction* indirect_call = nullptr;     // the first call through a register
  const PtxInstruction* reads_coordinate = nullptr;  // the first instruction that reads a coordinate
  CoordinateSet coordinates;                         // coordinates that are read by all functions of called_directly()
  MemoryUses memory;                                 // uses of memory by this function and all functions that it calls
  bool recursive = false;                            // true if the function may call itself, directly or through others
};

struct CallGraph {
  std::map<std::string_view, CalledFunction> functions;
  std::set<std::string_view> address_taken;     // functions with a taken address, which may be called indirectly
  MemoryUses memory_of_indirect_calls;          // uses of memory by all functions in address_taken
  std::set<std::string_view> shared_variables;  // shared variables declared at module scope

  // Returns the function and all functions that it calls, directly or through others.
  std::set<std::string_view> reachable(std::string_view name) const;
  // Returns the function and all functions that it reaches through direct calls alone.
  std::set<std::string_view> called_directly(std::string_view name) const;
  CoordinateSet coordinates(std::string_view name) const { return functions.at(name).coordinates; }
};

CallGraph call_graph_of(const PtxTree& tree);

// Returns the callee's uses of memory if the instruction is a call; else the instruction's own.
MemoryUses memory_uses_of(const PtxInstruction& instruction, const CallGraph& calls);

// Returns the name of the called function, or the register of an indirect call; empty if the instruction is not a call.
std::string_view callee_of(const PtxInstruction& instruction);

}  // namespace wattune::slice
