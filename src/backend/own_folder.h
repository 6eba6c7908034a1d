// OwnFolder: a folder for temporary files that outlives no process for long.
//
// Its maker holds a lock on it, and puts a file into it that names the folder and its number in the file system. A
// folder that nobody has locked is what a process that was killed left behind, and the next process that makes one of
// the same prefix removes it. A name alone says nothing: without that file a folder is somebody else's, and is left
// alone.
#pragma once

#include <filesystem>
#include <string>

#include "backend/descriptor.h"
#include "wattune/core/result.h"

namespace wattune::backend {

// Removes the folder that an OwnFolder made, with all it holds.
void remove_own_folder(const std::filesystem::path& path);

class OwnFolder {
 public:
  // Named by the prefix and six more characters, in the place for temporary files.
  static Result<OwnFolder> create(const std::string& prefix);

  const std::filesystem::path& path() const { return path_; }
  // In the copy of a process that fork() made: leaves the lock to the other one.
  void unlock() { lock_.close(); }
  // With all it holds.
  void remove() const { remove_own_folder(path_); }

 private:
  OwnFolder(std::filesystem::path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace wattune::backend
