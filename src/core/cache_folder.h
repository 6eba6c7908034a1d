// Finds the folder for cached files, which may be deleted at any time.
#pragma once

#include <filesystem>

namespace wattune::inline v0_1 {

// Returns Wattune's cache folder of this user, by the XDG Base Directory Specification: $XDG_CACHE_HOME/wattune, or
// ~/.cache/wattune. Returns an empty path if neither variable is usable. The folder need not exist.
std::filesystem::path user_cache_folder();

}  // namespace wattune
