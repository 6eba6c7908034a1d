// Attachment: tells whether this process is the one that attached. Only that one has the tuner's threads and processes.
//
//   WATTUNE_TRY(attachment.check());   // at each call, in about a nanosecond
#pragma once

#include <atomic>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::dynamic {

class Attachment {
 public:
  Attachment();
  // Fails with unavailable in a process that was forked since.
  Result<void> check() const {
    if (!is_forked()) return {};
    return forked();
  }
  bool is_forked() const { return forks.load(std::memory_order_relaxed) != forks_; }

 private:
  static Error forked();

  static std::atomic<int> forks;  // number of forks between the first attachment and this process
  const int forks_;
};

}  // namespace wattune::dynamic
