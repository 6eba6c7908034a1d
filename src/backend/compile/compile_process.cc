#include "backend/interface/compile_process.h"

#include "backend/interface/kill_count.h"

namespace wattune::inline v0_1::backend {

Result<std::shared_ptr<worker::Connection>> CompileProcess::connect() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return Error(ErrorCode::unavailable, "the compile process was stopped");
    if (connection_ && connection_->check()) return connection_;
  }
  WATTUNE_ASSIGN(std::shared_ptr<worker::Connection> connection, worker::Connection::start(options_));
  const std::lock_guard lock(mutex_);
  if (stopped_) return Error(ErrorCode::unavailable, "the compile process was stopped");
  connection_ = connection;
  return connection;
}

template <typename Answer, typename Asked>
Result<Answer> CompileProcess::ask(worker::Request request, const Asked& asked) {
  KillCount kills;
  for (;;) {
    WATTUNE_ASSIGN(const std::shared_ptr<worker::Connection> connection, connect());
    Result<Answer> answer = connection->ask<Answer>(request, asked, asked.limit);
    if (answer || !kills.allow_another(answer.error())) return answer;
  }
}

Result<Image> CompileProcess::compile(const worker::CompileRequest& request) {
  return ask<Image>(worker::Request::compile, request);
}

Result<CompileReport> CompileProcess::report(const worker::ReportRequest& request) {
  return ask<CompileReport>(worker::Request::report, request);
}

Result<AssembledKernels> CompileProcess::assemble(const worker::AssembleRequest& request) {
  return ask<AssembledKernels>(worker::Request::assemble, request);
}

bool CompileProcess::runs() {
  const std::lock_guard lock(mutex_);
  return connection_ != nullptr;
}

void CompileProcess::end() {
  std::shared_ptr<worker::Connection> ended;
  const std::lock_guard lock(mutex_);
  ended.swap(connection_);
}

void CompileProcess::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (connection_) connection_->hang_up();
}

}  // namespace wattune::backend
