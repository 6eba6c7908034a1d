// The members that a Trial's JSON object has for the final, besides its samples.
#pragma once

#include <string>

#include "store/interface/document.h"
#include "wattune/core/observation.h"

namespace wattune::inline v0_1::store {

// Appends `,"final":...,"over_default":...,"in_search":...`, without the members that the observation lacks.
void append_final(std::string& out, const Observation& observation);
void read_final(const Json& object, Observation& observation);  // reads these members; throws Malformed

}  // namespace wattune::store
