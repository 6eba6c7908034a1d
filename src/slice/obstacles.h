// The constructs that forbid twins, found in the functions that a kernel reaches.
#pragma once

#include <vector>

#include "slice/boundary.h"
#include "slice/call_graph.h"
#include "slice/interface/analysis.h"
#include "slice/waiting.h"

namespace wattune::inline v0_1::slice {

// Returns the obstacles, by their place in the text. `waits` is of this graph, and serves all its entries.
std::vector<Obstacle> obstacles_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls,
                                   const BoundaryPlan& plan, WaitFinder& waits);

}  // namespace wattune::slice
