// ProcessorWait: tells whether processes had to wait for processors, so that other processes delayed them.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend::worker {

class ProcessorWait {
 public:
  // Watches the process and all its descendants.
  explicit ProcessorWait(pid_t process);
  // True if threads of these processes were ready to run, but had no processor, for at least a quarter of the time
  // since this object was made. True also if the system does not report it.
  bool was_long() const;

 private:
  pid_t process_;
  Stopwatch stopwatch_;
  std::optional<Nanoseconds> before_;
};

}  // namespace wattune::backend::worker
