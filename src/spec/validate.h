// Checks of a spec, independent of its format: names are distinct and known, expressions parse.
#pragma once

#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::spec {

// Replaces extents of the problem. Fails with not_found and the nearest name, with invalid_argument if a value is below
// 1.
Result<void> replace_extents(KernelSpec& spec, const std::vector<NamedSize>& sizes);

// Checks parameters and constraints. Replaces extents of the problem by their values in the constraints, because a
// search space knows only parameters. Fails with invalid_argument, parse_error or not_found.
Result<void> validate_space(KernelSpec& spec);

// Checks geometry, arguments and reference. Fails as validate_space() does.
Result<void> validate_launch(const KernelSpec& spec);

}  // namespace wattune::spec
