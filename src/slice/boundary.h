// Plans what a persistent twin does between two blocks, and finds the instructions that forbid such a twin.
#pragma once

#include <vector>

#include "slice/early_returns.h"
#include "slice/function_body.h"
#include "slice/interface/analysis.h"
#include "slice/twin_code.h"

namespace wattune::inline v0_1::slice {

struct BoundaryPlan {
  Boundary boundary;
  std::vector<Forbidden> forbidden;
  BlockShape blocks = BlockShape::any;  // shape of the blocks that the twin can run, if `forbidden` is empty
};

BoundaryPlan plan_boundary(const PtxTree& tree, const PtxFunction& entry, FunctionBodies& bodies);

}  // namespace wattune::slice
