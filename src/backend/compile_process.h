// CompileProcess: one compile process of a pool, started when it is needed and again after it was lost.
#pragma once

#include <memory>
#include <mutex>

#include "backend/worker/connection.h"

namespace wattune::backend {

class CompileProcess {
 public:
  explicit CompileProcess(const WorkerOptions& options) : options_(options) {}

  // From one thread. A compiler that somebody killed from outside gets a second try.
  Result<Image> compile(const worker::CompileRequest& request);
  // Whether a process was started that has not been ended; one that crashed counts.
  bool runs();
  // Ends the process, until the next compile(). From the thread that compiles.
  void end();
  // From any thread, once and for all: a compile() that is under way returns an error soon, later ones at once.
  void stop();

 private:
  Result<std::shared_ptr<worker::Connection>> connect();

  const WorkerOptions options_;
  std::mutex mutex_;  // of the two below
  std::shared_ptr<worker::Connection> connection_;
  bool stopped_ = false;
};

}  // namespace wattune::backend
