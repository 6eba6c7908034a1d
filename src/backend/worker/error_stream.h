// A worker's error stream as its client reads it: words of drivers and kernels, and between them the worker's log lines
// (wattune/core/log.h), which become lines of the client's log.
#pragma once

#include <string>
#include <string_view>

#include "backend/descriptor.h"

namespace wattune::backend::worker {

// In the worker: lines of its log from the level that WATTUNE_LOG names on go to its error stream.
void log_to_client();

class ErrorStream {
 public:
  // `pipe` never blocks; none when the worker shares the client's stream.
  explicit ErrorStream(Descriptor pipe) : pipe_(std::move(pipe)) {}

  // What came since the last call, without log lines, which are logged with the worker's name before them.
  std::string take(std::string_view worker);

 private:
  Descriptor pipe_;
};

}  // namespace wattune::backend::worker
