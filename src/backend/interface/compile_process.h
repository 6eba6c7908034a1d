// CompileProcess: a process that compiles, for a pool or by itself. It is started when it is needed, and again after it
// was lost. Programs that it starts have limits and end with it, and it ends with this process.
#pragma once

#include <memory>
#include <mutex>

#include "backend/interface/connection.h"

namespace wattune::inline v0_1::backend {

class CompileProcess {
 public:
  explicit CompileProcess(const WorkerOptions& options) : options_(options) {}

  // Compiles an image. One thread at a time may call. If the process is killed from outside, the request is repeated
  // (kill_count.h). Errors are those of compile_image(), compile_cuda() or assemble_ptx(), and device_lost if the
  // compiler crashed.
  Result<Image> compile(const worker::CompileRequest& request);
  Result<CompileReport> report(const worker::ReportRequest& request);
  Result<AssembledKernels> assemble(const worker::AssembleRequest& request);
  // Tells whether there is a process that was not ended; a crashed process counts.
  bool runs();
  // Ends the process; the next compile() starts a new one. Only the thread that compiles may call it.
  void end();
  // Stops the object for good: a running compile() returns an error soon, later ones at once. Any thread may call it.
  void stop();

 private:
  Result<std::shared_ptr<worker::Connection>> connect();
  template <typename Answer, typename Asked>
  Result<Answer> ask(worker::Request request, const Asked& asked);

  const WorkerOptions options_;
  std::mutex mutex_;  // guards the two members below
  std::shared_ptr<worker::Connection> connection_;
  bool stopped_ = false;
};

}  // namespace wattune::backend
