// TuningOccasion: decides when tuning a key begins.
#pragma once

#include <cstdint>

#include "wattune/dynamic/policy.h"

namespace wattune::inline v0_1::dynamic {

// Tuning begins when the key was called often enough, unless its best configuration is known already. It begins again
// after each ask(). The object belongs to one instance and is used under the instance's lock.
class TuningOccasion {
 public:
  TuningOccasion(const TuningPolicy& policy, bool is_known)
      : calls_before_(policy.calls_before_tuning), open_(!is_known || policy.tune_known) {}

  // Returns true if tuning begins now, after `calls` earlier calls of the key. For each occasion, it returns true only
  // once.
  bool begins(std::uint64_t calls);
  // Makes tuning begin with the next call, because of retune() or of drift.
  void ask() { asked_ = true; }
  // True if tuning will begin when further calls are made.
  bool is_pending() const { return open_ || asked_; }

 private:
  std::uint64_t calls_before_;
  bool open_;
  bool asked_ = false;
};

}  // namespace wattune::dynamic
