#include "backend/compile_process.h"

#include "core/logging.h"

namespace wattune::backend {

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

Result<Image> CompileProcess::compile(const worker::CompileRequest& request) {
  for (bool first = true;; first = false) {
    WATTUNE_ASSIGN(const std::shared_ptr<worker::Connection> connection, connect());
    Result<Image> image = connection->ask<Image>(worker::Request::compile, request, request.limit);
    const bool again = first && !image && killed_from_outside(image.error());
    if (!again) return image;
    log_info("a compile process was killed from outside: compiled once more");
  }
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
