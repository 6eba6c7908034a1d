#include "backend/own_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace wattune::backend {

namespace {

namespace fs = std::filesystem;

// Whether the descriptor is of what lies at the path, which somebody else may have removed.
bool is_at(const Descriptor& folder, const fs::path& path) {
  struct stat opened {};
  struct stat found {};
  return fstat(folder.get(), &opened) == 0 && lstat(path.c_str(), &found) == 0 && opened.st_ino == found.st_ino &&
         opened.st_dev == found.st_dev;
}

// A folder of this user's; none when it is locked already and `wait` is false.
Descriptor lock(const fs::path& path, bool wait) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool ours = fstat(folder.get(), &status) == 0 && status.st_uid == geteuid();
  if (!ours || flock(folder.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return folder;
}

void remove_abandoned(const fs::path& place, const std::string& prefix) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored)) {
    if (!entry.path().filename().native().starts_with(prefix)) continue;
    if (const Descriptor abandoned = lock(entry.path(), false); abandoned.get() >= 0)
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Result<OwnFolder> OwnFolder::create(const std::string& prefix) {
  std::error_code failed;
  const fs::path place = fs::temp_directory_path(failed);
  if (!failed) remove_abandoned(place, prefix);
  // Somebody may remove it in the moment between making and locking it.
  for (;;) {
    std::string path = place / (prefix + "XXXXXX");
    if (failed || mkdtemp(path.data()) == nullptr)
      return Error(ErrorCode::io_error, "cannot create a temporary folder").about(path);
    Descriptor held = lock(path, true);
    const bool cannot_lock = held.get() < 0 && fs::exists(path, failed);  // some file systems have no locks
    if (cannot_lock || is_at(held, path)) return OwnFolder(path, std::move(held));
  }
}

void OwnFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace wattune::backend
