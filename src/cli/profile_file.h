// Profiles of kernels in files (docs/formats/profile.md), as a command uses them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/schedule/profile_record.h"

namespace wattune::cli {

struct ProfileFile {
  std::filesystem::path file;
  schedule::StoredProfiles stored = {};

  // Finds the record of this kernel; nullptr if there is none. Fails with mismatch if a record has its name but is of
  // something else. Fails with parse_error if there is none, but a line was left out that may have been it.
  Result<const schedule::ProfileRecord*> find(const std::string& name, const Identity& identity) const;
  // Returns notes on the file for people, a line each.
  std::vector<std::string> notes() const;
};

// Reads profiles, and fails as schedule::load_profiles() does.
Result<ProfileFile> read_profiles(const std::filesystem::path& file);

}  // namespace wattune::cli
