// Checks whether recorded Observations can be true. Files are also written by hand, and a checksum does not protect
// against wrong numbers.
#pragma once

#include <string>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::store {

// Describes the part of an Observation that cannot have been measured on any device. Returns an empty text if there is
// no such part.
std::string implausible(const Observation& observation);

}  // namespace wattune::store
