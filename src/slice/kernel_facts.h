// Computes the analysis of a kernel together with the boundary plan of its persistent twin, so that each is computed
// once.
#pragma once

#include <vector>

#include "slice/call_graph.h"
#include "slice/interface/analysis.h"
#include "slice/twin_code.h"

namespace wattune::inline v0_1::slice {

struct KernelFacts {
  const PtxFunction* entry = nullptr;
  KernelAnalysis analysis;
  Boundary boundary;
};

// Analyses each entry that has a body, in the order of the PTX.
std::vector<KernelFacts> facts_of(const PtxTree& tree, const CallGraph& calls);

}  // namespace wattune::slice
