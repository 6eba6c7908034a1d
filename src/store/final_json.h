// What a Trial of the final has besides its samples, as members of its JSON object.
#pragma once

#include <string>

#include "store/document.h"
#include "wattune/core/observation.h"

namespace wattune::store {

// Appends `,"final":...,"over_default":...,"in_search":...`, those of them that there are.
void append_final(std::string& out, const Observation& observation);
void read_final(const Json& object, Observation& observation);  // throws Malformed

}  // namespace wattune::store
