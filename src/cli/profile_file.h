// Profiles of kernels in files: JSON lines (docs/formats/profile.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::cli {

// Empty lines do not count. not_found; parse_error, with the line.
Result<std::vector<schedule::ProfileRecord>> read_profiles(const std::filesystem::path& file);

// As it is written.
std::string profiles_text(const std::vector<schedule::ProfileRecord>& records);

}  // namespace wattune::cli
