// Folders whose files are believed, because nobody else can have put them there.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "wattune/core/result.h"

namespace wattune {

// Makes the folder, and those above it that are missing, with at most these rights, whatever the umask. Errors as those
// of system_error().
Result<void> make_folders(const std::filesystem::path& folder, mode_t rights);

// invalid_argument: the folder belongs to a user who is neither this one nor root, or others may write there. Errors of
// system_error() where nobody can look.
Result<void> check_trusted(const std::filesystem::path& folder);

}  // namespace wattune
