// WorkerFolder: where a worker's temporary files lie, PoCL's cache among them, so that none stays when it is killed.
//
// Its supervisor holds the lock on it (own_folder.h).
#pragma once

#include <optional>

#include "backend/own_folder.h"

namespace wattune::backend::worker {

class WorkerFolder {
 public:
  // Without one, if there is no place for it.
  WorkerFolder();
  // In the worker: drivers and compilers, which ask the environment, put their files there.
  void use();
  // In the supervisor, when nobody uses it any more.
  void remove();

 private:
  std::optional<OwnFolder> folder_;
};

}  // namespace wattune::backend::worker
