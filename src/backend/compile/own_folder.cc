#include "backend/compile/own_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/interface/system_error.h"
#include "core/new_file.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

// Tells whether the path still leads to the file that is open: another process may have removed the file.
bool is_at(const Descriptor& folder, const fs::path& path) {
  struct stat opened {};
  struct stat found {};
  return fstat(folder.get(), &opened) == 0 && lstat(path.c_str(), &found) == 0 && opened.st_ino == found.st_ino &&
         opened.st_dev == found.st_dev;
}

// Locks a folder of this user. The result is empty if the folder is another user's, or if the folder is locked already
// and `wait` is false.
Descriptor lock(const fs::path& path, bool wait) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool ours = fstat(folder.get(), &status) == 0 && status.st_uid == geteuid();
  if (!ours || flock(folder.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return folder;
}

// The name of the mark: a file in the folder whose text names the folder's inode. A copy of the folder has another
// inode.
constexpr const char* kMark = ".made-by-wattune";

Result<std::string> mark_of(const Descriptor& folder, const fs::path& path) {
  struct stat status {};
  if (fstat(folder.get(), &status) != 0) return system_error("cannot read", path, errno);
  return fmt::format("{} {}\n", path.filename().string(), status.st_ino);
}

Result<void> write_mark(const Descriptor& folder, const fs::path& path) {
  WATTUNE_ASSIGN(const std::string mark, mark_of(folder, path));
  return write_new_file(path / kMark, mark);
}

bool has_mark(const Descriptor& folder, const fs::path& path) {
  const Descriptor file(openat(folder.get(), kMark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const Result<std::string> mark = mark_of(folder, path);
  struct stat status {};
  if (!mark || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  std::array<char, 256> text{};
  const ssize_t got = read(file.get(), text.data(), text.size());
  return status.st_uid == geteuid() && got > 0 && *mark == std::string(text.data(), static_cast<std::size_t>(got));
}

// True if the name is one that mkdtemp() makes from our template: the prefix and six letters or digits.
bool is_named_by_us(const std::string& name, const std::string& prefix) {
  constexpr std::size_t kLetters = 6;
  return name.starts_with(prefix) && name.size() == prefix.size() + kLetters &&
         std::all_of(name.end() - kLetters, name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

void remove_abandoned(const fs::path& place, const std::string& prefix) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored)) {
    const fs::path& path = entry.path();
    if (!is_named_by_us(path.filename().native(), prefix)) continue;
    const Descriptor abandoned = lock(path, false);
    if (abandoned.get() >= 0 && is_at(abandoned, path) && has_mark(abandoned, path)) remove_own_folder(path);
  }
}

}  // namespace

Result<OwnFolder> OwnFolder::create(const std::string& prefix) {
  std::error_code failed;
  const fs::path place = fs::temp_directory_path(failed);
  if (!failed) remove_abandoned(place, prefix);
  // Another process may clean up and remove the folder between its creation and its locking.
  for (;;) {
    std::string path = place / (prefix + "XXXXXX");
    if (failed || mkdtemp(path.data()) == nullptr)
      return Error(ErrorCode::io_error, "cannot create a temporary folder").about(path);
    Descriptor held = lock(path, true);
    const bool cannot_lock = held.get() < 0 && fs::exists(path, failed);  // true if the file system has no locks
    if (cannot_lock) return OwnFolder(path, std::move(held));
    if (!is_at(held, path)) continue;
    if (Result<void> marked = write_mark(held, path); !marked) {
      fs::remove(path, failed);
      return std::move(marked).error();
    }
    return OwnFolder(path, std::move(held));
  }
}

// Removes the folder. The mark is removed last. So a folder that a killed process has removed only in part is still
// recognised.
void remove_own_folder(const fs::path& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
    if (entry.path().filename() != kMark) fs::remove_all(entry.path(), ignored);
  fs::remove_all(path, ignored);
}

}  // namespace wattune::backend
