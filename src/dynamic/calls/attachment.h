// Attachment: tells whether this process is the one that made the tuner. A forked child process does not have the
// tuner's threads and processes.
//
//   WATTUNE_TRY(attachment.check());   // at each call, in about a nanosecond
#pragma once

#include <atomic>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::dynamic {

class Attachment {
 public:
  Attachment();
  // Fails with unavailable if this process was forked after the tuner was made.
  Result<void> check() const {
    if (!is_forked()) return {};
    return forked();
  }
  bool is_forked() const { return forks.load(std::memory_order_relaxed) != forks_; }

 private:
  static Error forked();

  static std::atomic<int> forks;  // number of forks since the first attachment, counted in the child processes
  const int forks_;
};

}  // namespace wattune::dynamic
