// InterruptGuard: Ctrl-C (and SIGTERM) while it lives. The first asks the run to end after the evaluation in flight,
// the second ends the process at once; results are in the journal either way. One at a time.
#pragma once

#include <atomic>
#include <csignal>

namespace wattune::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // True once the user asked to stop; for TuningOptions::cancel.
  const std::atomic<bool>& requested() const;

 private:
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_terminate_ {};
};

}  // namespace wattune::cli
