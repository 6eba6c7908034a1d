// Notes to the user about files of profiles (docs/formats/profile.md).
#pragma once

#include <string>
#include <vector>

#include "wattune/schedule/profile_record.h"

namespace wattune::cli {

// Returns notes on missing checksums and on lines that were left out, one line each.
std::vector<std::string> notes_on(const schedule::StoredProfiles& profiles);

}  // namespace wattune::cli
