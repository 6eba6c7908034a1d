// Writes profiles as JSON objects and reads them (docs/formats/profile.md).
#pragma once

#include "store/interface/document.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::inline v0_1::schedule {

// Returns a profile as a JSON object.
store::Json json_of(const ProfileRecord& record);
// Reads a profile from a JSON object. Throws store::Malformed if a member is missing, of another type, or out of range.
ProfileRecord record_from(const store::Json& json);

}  // namespace wattune::schedule
