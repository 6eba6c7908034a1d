// Profiles as objects of JSON, written and read (docs/formats/profile.md).
#pragma once

#include "store/interface/document.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::inline v0_1::schedule {

// Returns the record as a JSON object.
store::Json json_of(const ProfileRecord& record);
// Reads a record. Throws store::Malformed if a member is missing, of another type, or impossible.
ProfileRecord record_from(const store::Json& json);

}  // namespace wattune::schedule
