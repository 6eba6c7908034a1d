// What must hold for a spec whatever it was read from: names are distinct and known, expressions parse.
#pragma once

#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::spec {

// Gives extents of the problem other values. not_found (with the nearest name), invalid_argument (below 1).
Result<void> replace_extents(KernelSpec& spec, const std::vector<NamedSize>& sizes);

// Parameters and constraints. Extents of the problem are replaced by their values in the constraints, because a
// search space knows parameters only. invalid_argument, parse_error, not_found.
Result<void> validate_space(KernelSpec& spec);

// Geometry, arguments and reference. Same errors.
Result<void> validate_launch(const KernelSpec& spec);

}  // namespace wattune::spec
