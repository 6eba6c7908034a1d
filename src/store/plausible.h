// Checks whether recorded Observations can be true. Files are also written by hand, and a checksum does not protect
// against wrong numbers.
#pragma once

#include <string>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::store {

// Returns a text on the part of an Observation that cannot have been measured on any device; empty if there is none.
std::string implausible(const Observation& observation);

}  // namespace wattune::store
