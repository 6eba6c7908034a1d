// Computes the demand of blocks of several launches. A pure function.
#pragma once

#include <algorithm>

#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::schedule {

// Returns the demand of a block that takes of each resource as much as the larger of the two. If such a block fits,
// both fit.
inline model::BlockDemand most_of(model::BlockDemand one, const model::BlockDemand& other) {
  one.threads = std::max(one.threads, other.threads);
  one.registers = std::max(one.registers, other.registers);
  one.static_shared_bytes = std::max(one.static_shared_bytes, other.static_shared_bytes);
  one.dynamic_shared_bytes = std::max(one.dynamic_shared_bytes, other.dynamic_shared_bytes);
  one.barriers = std::max(one.barriers, other.barriers);
  return one;
}

}  // namespace wattune::schedule
