// Listed space: the diagram of configurations that are given one by one instead of by constraints.
//
// Sorted by their values, the configurations of one prefix lie next to each other, so that the diagram is built from
// the last parameter up in one pass: each run of equal prefixes is a node, and equal nodes merge.
#pragma once

#include <vector>

#include "space/constraint_system.h"
#include "space/space_builder.h"

namespace wattune::space {

// `system` has no constraints. Errors as SearchSpace::from_list().
Result<BuiltSpace> build_listed_space(const ConstraintSystem& system, std::vector<ValueIndices> configurations);

}  // namespace wattune::space
