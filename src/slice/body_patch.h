// Applies the changes that every copied function needs, at reads of coordinates and at calls.
#pragma once

#include <functional>
#include <string>

#include "slice/call_graph.h"
#include "slice/text_edits.h"

namespace wattune::inline v0_1::slice {

// A function that returns the instructions that load a coordinate into its register_of(). It returns an empty text if
// the register already holds the coordinate.
using LoadCoordinate = std::function<std::string(Coordinate)>;

// Replaces reads of coordinates by the registers that `load` fills, and calls of functions that read coordinates by
// calls of their clones.
void patch_body(TextEdits& edits, const PtxFunction& function, const CallGraph& calls, const LoadCoordinate& load);

// Adds clones of the functions that read coordinates and that `entries` call directly. A clone has the coordinates as
// additional parameters. It is inserted after the function from which it is copied, or after that function's
// declaration.
void add_clones(TextEdits& module, const PtxTree& tree, const CallGraph& calls,
                const std::vector<std::string_view>& entries);

// Returns a `.reg .b32` declaration for each coordinate in the set.
std::string declare_registers(const CoordinateSet& set);

}  // namespace wattune::slice
