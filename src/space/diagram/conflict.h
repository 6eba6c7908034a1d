// Finds which constraints exclude everything, for the message about an empty space.
#pragma once

#include <vector>

#include "space/diagram/constraint_system.h"

namespace wattune::inline v0_1::space {

// Returns constraints that together exclude every configuration, ascending. Without any one of them, the others admit
// some. Empty if finding them would take long, or if that was cancelled.
std::vector<std::uint32_t> find_conflict(const ConstraintSystem& system, const std::function<bool()>& cancelled);

}  // namespace wattune::space
