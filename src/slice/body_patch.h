// Changes that every copy of a function needs: where it reads coordinates, and what it calls.
#pragma once

#include <functional>
#include <string>

#include "slice/call_graph.h"
#include "slice/text_edits.h"

namespace wattune::slice {

// Instructions that put a coordinate into register_of() it; empty where it is there all the time.
using LoadCoordinate = std::function<std::string(Coordinate)>;

// Replaces what reads a coordinate, and calls of functions that read any by calls of their clones.
void patch_body(TextEdits& edits, const PtxFunction& function, const CallGraph& calls, const LoadCoordinate& load);

// Copies of those functions of the module that read coordinates and that `entries` call directly, which get them as
// further arguments. Each stands behind the function, or its declaration, that it copies.
void add_clones(TextEdits& module, const PtxTree& tree, const CallGraph& calls,
                const std::vector<std::string_view>& entries);

// `.reg .b32` of all coordinates in the set.
std::string declare_registers(const CoordinateSet& set);

}  // namespace wattune::slice
