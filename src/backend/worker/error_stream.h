// Reads a worker's error stream for its client. The stream has messages of drivers and kernels, and between them the
// worker's log lines (wattune/core/log.h), which become lines in the client's log.
#pragma once

#include <string>
#include <string_view>

#include "backend/interface/descriptor.h"

namespace wattune::inline v0_1::backend::worker {

// Makes the worker write its log to its error stream, from the level on that WATTUNE_LOG names.
void log_to_client();

class ErrorStream {
 public:
  // Reads `pipe`, which never blocks. The pipe is empty if the worker shares the client's stream.
  explicit ErrorStream(Descriptor pipe) : pipe_(std::move(pipe)) {}

  // Returns the text that came since the last call, without log lines. These are written to the client's log, under the
  // worker's name.
  std::string take(std::string_view worker);

 private:
  Descriptor pipe_;
};

}  // namespace wattune::backend::worker
