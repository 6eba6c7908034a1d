#include "core/own_rights.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/interface/system_error.h"

namespace wattune::inline v0_1 {

namespace fs = std::filesystem;

Result<void> make_folders(const fs::path& folder, mode_t rights) {
  fs::path path;
  std::error_code ignored;
  for (const fs::path& part : folder) {
    path /= part;
    if (fs::is_directory(path, ignored) || ::mkdir(path.c_str(), rights) == 0) continue;
    const int why = errno;
    if (!fs::is_directory(path, ignored)) return system_error("cannot make the folder", path, why);
  }
  return {};
}

Result<void> check_trusted(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return system_error("cannot look at", folder, errno);
  if (!S_ISDIR(status.st_mode)) return system_error("cannot look into", folder, ENOTDIR);
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return Error(ErrorCode::invalid_argument, fmt::format("{} belongs to user {}, and what lies there is not trusted",
                                                          folder.string(), status.st_uid))
        .hint("name another folder, or remove it");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} can be written by others than its owner, and what lies there is not trusted",
                           folder.string()))
      .hint(fmt::format("see that it holds nothing of theirs, then `chmod go-w {}`", folder.string()));
}

}  // namespace wattune
