// Handles Ctrl-C and SIGTERM from the start of a command to its end.
//
// InterruptGuard has a thread that waits for these signals and may do more than a signal handler. A signal ends the
// process at once, with one line and ExitStatus::interrupted. Programs that the process started are killed, and its
// temporary folders are removed. Workers end with their connections. While a StopRequest lives, the first signal only
// asks the command to stop. At most one of each class exists at a time.
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

namespace wattune::cli {

class InterruptGuard {
 public:
  // Blocks the signals. It must run on the thread of main() before there are other threads, so that these inherit the
  // blocking.
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  sigset_t before_{};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // True once the user has asked to stop. It is the flag for TuningOptions::cancel.
  const std::atomic<bool>& made() const;
};

}  // namespace wattune::cli
