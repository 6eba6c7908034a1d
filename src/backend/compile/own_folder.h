// OwnFolder: a folder for temporary files that does not outlive its process for long.
//
// Its maker holds a lock on it, and writes a file into it that names the folder and its inode. A folder with such a
// file that nobody has locked was left behind by a killed process. The next process that makes a folder of the same
// prefix removes it. A name alone proves nothing: a folder without that file belongs to somebody else and is left
// alone.
#pragma once

#include <filesystem>
#include <string>

#include "backend/interface/descriptor.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Removes the folder that an OwnFolder made, with all it holds.
void remove_own_folder(const std::filesystem::path& path);

class OwnFolder {
 public:
  // Creates a folder in the place for temporary files, named by the prefix and six more characters.
  static Result<OwnFolder> create(const std::string& prefix);

  const std::filesystem::path& path() const { return path_; }
  // Leaves the lock to the parent; for the copy of a process that fork() made.
  void unlock() { lock_.close(); }
  // Removes the folder with all it holds.
  void remove() const { remove_own_folder(path_); }

 private:
  OwnFolder(std::filesystem::path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace wattune::backend
