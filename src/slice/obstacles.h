// Finds the constructs that forbid twins, in all functions that a kernel reaches.
#pragma once

#include <vector>

#include "slice/boundary.h"
#include "slice/call_graph.h"
#include "slice/interface/analysis.h"
#include "slice/waiting.h"

namespace wattune::inline v0_1::slice {

// Returns the obstacles in the order of the text. `waits` must be made from this graph; one WaitFinder serves all
// entries.
std::vector<Obstacle> obstacles_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls,
                                   const BoundaryPlan& plan, WaitFinder& waits);

}  // namespace wattune::slice
