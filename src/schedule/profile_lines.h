// Profiles as objects of JSON, written and read (docs/formats/profile.md).
#pragma once

#include "store/document.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::schedule {

store::Json json_of(const ProfileRecord& record);
// Throws store::Malformed: a member is missing, of another type, or cannot be true.
ProfileRecord record_from(const store::Json& json);

}  // namespace wattune::schedule
