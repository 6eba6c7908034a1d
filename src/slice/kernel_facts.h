// The analysis of a kernel together with the boundary of its persistent twin, so that both are computed once.
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

// Analyses each entry with a body, in their order.
std::vector<KernelFacts> facts_of(const PtxTree& tree, const CallGraph& calls);

}  // namespace wattune::slice
