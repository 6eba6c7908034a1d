// Builds the diagram of configurations that are given one by one instead of by constraints.
//
// If configurations are sorted by their values, those with equal first values (a prefix) lie next to each other. So one
// pass builds the diagram from the last parameter to the first: each run of configurations with equal prefixes is a
// node, and equal nodes merge.
#pragma once

#include <vector>

#include "space/diagram/constraint_system.h"
#include "space/space_builder.h"

namespace wattune::inline v0_1::space {

// Builds the space. `system` has no constraints. Fails with the errors of SearchSpace::from_list().
Result<BuiltSpace> build_listed_space(const ConstraintSystem& system, std::vector<ValueIndices> configurations);

}  // namespace wattune::space
