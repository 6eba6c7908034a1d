// Which recorded Observations can be true. Files are written by hand too, and a checksum says nothing of numbers.
#pragma once

#include <string>

#include "wattune/core/observation.h"

namespace wattune::store {

// What of an Observation no device and no clock can have shown; empty: nothing.
std::string implausible(const Observation& observation);

}  // namespace wattune::store
