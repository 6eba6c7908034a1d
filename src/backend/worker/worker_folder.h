// WorkerFolder: a folder for a worker's temporary files, PoCL's cache among them, so that none is left when the worker
// is killed.
//
// Its supervisor holds the lock on it (own_folder.h).
#pragma once

#include <optional>

#include "backend/compile/own_folder.h"

namespace wattune::inline v0_1::backend::worker {

class WorkerFolder {
 public:
  // Creates the folder; the worker does without if there is no place for it.
  WorkerFolder();
  // Directs drivers and compilers to the folder, through the environment of the worker.
  void use();
  // Removes the folder, in the supervisor, once nobody uses it any more.
  void remove();

 private:
  std::optional<OwnFolder> folder_;
};

}  // namespace wattune::backend::worker
