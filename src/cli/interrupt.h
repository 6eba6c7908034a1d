// Ctrl-C and SIGTERM, from the start of a command to its end.
//
// InterruptGuard has a thread that waits for them, which may do what a signal's handler may not. Either ends the
// process at once, with one line and ExitStatus::interrupted: the programs that it started are killed, its temporary
// folders removed, and workers end with their connections. While a StopRequest lives, the first one asks for that stop
// instead. One of each at a time.
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

namespace wattune::cli {

class InterruptGuard {
 public:
  // On the thread of main(), before there are others: it blocks the signals, and they inherit that.
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

  // True once the user asked to stop; for TuningOptions::cancel.
  const std::atomic<bool>& made() const;
};

}  // namespace wattune::cli
