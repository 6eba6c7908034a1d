// A worker's error stream, as its client reads it. It has messages of drivers and kernels, and between them the
// worker's log lines (wattune/core/log.h), which become lines of the client's log.
#pragma once

#include <string>
#include <string_view>

#include "backend/interface/descriptor.h"

namespace wattune::inline v0_1::backend::worker {

// Sends the lines of a worker's log, from the level that WATTUNE_LOG names on, to its error stream.
void log_to_client();

class ErrorStream {
 public:
  // Reads `pipe`, which never blocks; it is empty if the worker shares the client's stream.
  explicit ErrorStream(Descriptor pipe) : pipe_(std::move(pipe)) {}

  // Returns the text since the last call without log lines, which are logged under the worker's name.
  std::string take(std::string_view worker);

 private:
  Descriptor pipe_;
};

}  // namespace wattune::backend::worker
