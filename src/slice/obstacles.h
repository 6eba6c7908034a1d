// The constructs that forbid twins, found in the functions that a kernel reaches.
#pragma once

#include <vector>

#include "slice/call_graph.h"
#include "wattune/slice/analysis.h"

namespace wattune::slice {

std::vector<Obstacle> obstacles_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
