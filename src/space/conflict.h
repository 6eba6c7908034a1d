// Conflict: which constraints exclude everything, for the message about an empty space.
#pragma once

#include <vector>

#include "space/constraint_system.h"

namespace wattune::space {

// Constraints that together admit nothing while every proper part of them admits something, ascending; empty when
// finding them would take long, or where that was cancelled.
std::vector<std::uint32_t> find_conflict(const ConstraintSystem& system, const std::function<bool()>& cancelled);

}  // namespace wattune::space
