// Checks that nobody else can have put files into a folder, so that they can be trusted.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "wattune/core/result.h"

namespace wattune::inline v0_1 {

// Makes the folder, and missing folders above it, with at most these rights, whatever the umask. Fails with the errors
// of system_error().
Result<void> make_folders(const std::filesystem::path& folder, mode_t rights);

// Checks that the folder is trusted. Fails with invalid_argument if it belongs to a user who is neither this one nor
// root, or if others may write there. Fails with the errors of system_error() if it cannot be examined.
Result<void> check_trusted(const std::filesystem::path& folder);

}  // namespace wattune
