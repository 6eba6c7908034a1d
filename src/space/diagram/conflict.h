// Finds which constraints exclude all configurations, for the message about an empty space.
#pragma once

#include <vector>

#include "space/diagram/constraint_system.h"

namespace wattune::inline v0_1::space {

// Returns constraints that together exclude every configuration, ascending. If any one of them is removed, the others
// admit some configurations. Returns nothing if finding them would take long, or if the search was cancelled.
std::vector<std::uint32_t> find_conflict(const ConstraintSystem& system, const std::function<bool()>& cancelled);

}  // namespace wattune::space
