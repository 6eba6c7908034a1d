// Profiles of kernels in files: JSON lines (docs/formats/profile.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::cli {

struct ProfileFile {
  std::filesystem::path file;
  std::vector<schedule::ProfileRecord> records = {};

  // The record of this kernel; nullptr: there is none. mismatch: there is one of its name, of something else.
  Result<const schedule::ProfileRecord*> find(const std::string& name, const Identity& identity) const;
};

// Empty lines do not count. Errors of reading; parse_error, with the line.
Result<ProfileFile> read_profiles(const std::filesystem::path& file);

// As it is written.
std::string profiles_text(const std::vector<schedule::ProfileRecord>& records);

}  // namespace wattune::cli
