// Where files go that save work and may be lost.
#pragma once

#include <filesystem>

namespace wattune {

// Wattune's own, of this user, as the XDG Base Directory Specification says: $XDG_CACHE_HOME/wattune, or
// ~/.cache/wattune. Empty when neither variable helps. It need not exist.
std::filesystem::path user_cache_folder();

}  // namespace wattune
