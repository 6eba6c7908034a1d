// Starts a process even if the machine is short of processes or memory for a moment.
#pragma once

#include <time.h>

#include <cerrno>

namespace wattune::inline v0_1::backend {

// Calls `start` again, up to several times with pauses in between, as long as it returns the error number of a shortage
// of processes or memory. Returns the last error number, 0 if the process started.
template <typename Start>
int start_patiently(Start start) {
  constexpr int kTries = 4;
  constexpr timespec kPause{0, 250'000'000};
  int failure = start();
  for (int i = 1; i < kTries && (failure == EAGAIN || failure == ENOMEM); ++i) {
    nanosleep(&kPause, nullptr);
    failure = start();
  }
  return failure;
}

}  // namespace wattune::backend
