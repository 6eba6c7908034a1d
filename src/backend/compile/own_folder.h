// OwnFolder: a folder for temporary files that does not outlive its process for long.
//
// The process that makes the folder holds a lock on it, and writes a file into it that names the folder and its inode.
// A folder with such a file but without a lock was left behind by a killed process. The next process that makes a
// folder with the same prefix removes it. A folder without that file is not Wattune's and is left alone, whatever its
// name.
#pragma once

#include <filesystem>
#include <string>

#include "backend/interface/descriptor.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Removes the folder that an OwnFolder made, with all its contents.
void remove_own_folder(const std::filesystem::path& path);

class OwnFolder {
 public:
  // Creates a folder among the system's temporary files. Its name is the prefix and six more characters.
  static Result<OwnFolder> create(const std::string& prefix);

  const std::filesystem::path& path() const { return path_; }
  // Closes this process's descriptor of the lock; the parent process keeps its own. It is for a child that fork() made.
  void unlock() { lock_.close(); }
  // Removes the folder with all its contents.
  void remove() const { remove_own_folder(path_); }

 private:
  OwnFolder(std::filesystem::path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace wattune::backend
