// Who calls whom in a module, and what functions do directly or through those that they call.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/coordinates.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// Declarations and definition of a name are one function.
struct CalledFunction {
  const PtxFunction* function = nullptr;             // the definition, where there is one
  std::set<std::string_view> callees;                // direct ones that the module declares
  const PtxInstruction* indirect_call = nullptr;     // the first through a register
  const PtxInstruction* reads_coordinate = nullptr;  // the first that does
  CoordinateSet own_coordinates;
};

struct CallGraph {
  std::map<std::string_view, CalledFunction> functions;
  std::set<std::string_view> address_taken;  // what indirect calls may reach

  // The function itself and all that it calls, directly and indirectly.
  std::set<std::string_view> reachable(std::string_view name) const;
  // The same through direct calls alone.
  std::set<std::string_view> called_directly(std::string_view name) const;
  // Of the function and all that it calls directly.
  CoordinateSet coordinates(std::string_view name) const;
};

CallGraph call_graph_of(const PtxTree& tree);

// What a call calls: a function's name or a register; empty where it is no call.
std::string_view callee_of(const PtxInstruction& instruction);

}  // namespace wattune::slice
