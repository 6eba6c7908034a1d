#include "core/cache_folder.h"

#include <cstdlib>

namespace wattune::inline v0_1 {

std::filesystem::path user_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "wattune";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache" / "wattune" : std::filesystem::path();
}

}  // namespace wattune
