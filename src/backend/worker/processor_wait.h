// ProcessorWait: whether processes lacked processors for some time, so that others made them late.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/stopwatch.h"

namespace wattune::backend::worker {

class ProcessorWait {
 public:
  // Of the process and all that descends from it.
  explicit ProcessorWait(pid_t process);
  // Since this was made their threads were ready to run, but had no processor, for a quarter of the time or more; also
  // where the system does not tell.
  bool was_long() const;

 private:
  pid_t process_;
  Stopwatch stopwatch_;
  std::optional<Nanoseconds> before_;
};

}  // namespace wattune::backend::worker
