// WorkerFolder: where a worker's temporary files lie, PoCL's cache among them, so that none stays when it is killed.
//
// Its supervisor holds a lock on it. A folder that nobody has locked is what a supervisor that was killed left behind,
// and the next one that is started removes it.
#pragma once

#include <filesystem>

#include "backend/worker/channel.h"

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
  std::filesystem::path path_;  // empty: none
  Descriptor lock_;
};

}  // namespace wattune::backend::worker
