// The changes that every copy of a function needs: at reads of coordinates, and at calls.
#pragma once

#include <functional>
#include <string>

#include "slice/call_graph.h"
#include "slice/text_edits.h"

namespace wattune::inline v0_1::slice {

// A function that returns the instructions that load a coordinate into register_of() it; empty if it is always there.
using LoadCoordinate = std::function<std::string(Coordinate)>;

// Replaces reads of coordinates, and replaces calls of functions that read any by calls of their clones.
void patch_body(TextEdits& edits, const PtxFunction& function, const CallGraph& calls, const LoadCoordinate& load);

// Adds clones of the module's functions that read coordinates and that `entries` call directly. They get the
// coordinates as further arguments. Each stands behind the function, or its declaration, that it copies.
void add_clones(TextEdits& module, const PtxTree& tree, const CallGraph& calls,
                const std::vector<std::string_view>& entries);

// Returns `.reg .b32` declarations for all coordinates in the set.
std::string declare_registers(const CoordinateSet& set);

}  // namespace wattune::slice
