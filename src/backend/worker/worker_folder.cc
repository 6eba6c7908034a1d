#include "backend/worker/worker_folder.h"

#include <cstdlib>

namespace wattune::inline v0_1::backend::worker {

WorkerFolder::WorkerFolder() {
  if (Result<OwnFolder> folder = OwnFolder::create("wattune-worker-")) folder_ = *std::move(folder);
}

void WorkerFolder::use() {
  if (!folder_) return;
  folder_->unlock();  // closes the worker's copy, so that the lock ends with the supervisor
  setenv("TMPDIR", folder_->path().c_str(), 1);
  setenv("POCL_CACHE_DIR", (folder_->path() / "pocl").c_str(), 0);
}

void WorkerFolder::remove() {
  if (folder_) folder_->remove();
}

}  // namespace wattune::backend::worker
