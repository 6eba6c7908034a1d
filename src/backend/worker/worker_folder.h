// WorkerFolder: a folder for a worker's temporary files and PoCL's cache, so that no file is left when the worker is
// killed.
//
// Its supervisor holds the lock on it (own_folder.h).
#pragma once

#include <optional>

#include "backend/compile/own_folder.h"

namespace wattune::inline v0_1::backend::worker {

class WorkerFolder {
 public:
  // Creates the folder. If that fails, the worker uses the usual folder.
  WorkerFolder();
  // Makes drivers and compilers use the folder, by variables in the worker's environment.
  void use();
  // Removes the folder. The supervisor calls this when no process uses the folder any more.
  void remove();

 private:
  std::optional<OwnFolder> folder_;
};

}  // namespace wattune::backend::worker
