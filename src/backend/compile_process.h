// CompileProcess: a process that compiles, of a pool or by itself, started when it is needed and again after it was
// lost. What it starts is bounded and ends with it, and it ends with this process.
#pragma once

#include <memory>
#include <mutex>

#include "backend/worker/connection.h"

namespace wattune::backend {

class CompileProcess {
 public:
  explicit CompileProcess(const WorkerOptions& options) : options_(options) {}

  // From one thread. What somebody kills from outside is started again (kill_count.h).
  Result<Image> compile(const worker::CompileRequest& request);
  Result<CompileReport> report(const worker::ReportRequest& request);
  Result<AssembledKernels> assemble(const worker::AssembleRequest& request);
  // Whether a process was started that has not been ended; one that crashed counts.
  bool runs();
  // Ends the process, until the next compile(). From the thread that compiles.
  void end();
  // From any thread, once and for all: a compile() that is under way returns an error soon, later ones at once.
  void stop();

 private:
  Result<std::shared_ptr<worker::Connection>> connect();
  template <typename Answer, typename Asked>
  Result<Answer> ask(worker::Request request, const Asked& asked);

  const WorkerOptions options_;
  std::mutex mutex_;  // of the two below
  std::shared_ptr<worker::Connection> connection_;
  bool stopped_ = false;
};

}  // namespace wattune::backend
