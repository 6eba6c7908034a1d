// Worth: whether trying one more configuration of a key pays, as far as can be foretold. One thread; note_calls() of
// any.
//
// Of so many exchangeable configurations that were tried since the best one came, the next is better with probability
// 1 / (n + 1). How much better, the last improvements say; and calls are taken to go on for as long as they did.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "wattune/core/observation.h"

namespace wattune::dynamic {

class Worth {
 public:
  // What trying one showed.
  void learn(const Observation& seen) {
    ++since_best_;
    if (seen.status != Status::correct || !seen.statistics) return;
    const Nanoseconds time = seen.statistics->median;
    if (best_ && time >= *best_) return;
    if (best_) gain_ = std::max(kSmaller * (1.0 - time / *best_), 0.5 * gain_);
    best_ = time;
    since_best_ = 0;
  }
  // The least time so far; none: nothing worked yet.
  const std::optional<Nanoseconds>& best() const { return best_; }
  // What calls have taken of the device, and will probably take at least.
  void note_calls(Nanoseconds time) { calls_.store(time.value(), std::memory_order_relaxed); }
  // What one more will gain on average. Where nobody tells of calls, or nothing worked yet, everything pays.
  Nanoseconds of_one_more() const {
    const double calls = calls_.load(std::memory_order_relaxed);
    if (calls < 0.0 || !best_) return Nanoseconds(std::numeric_limits<double>::infinity());
    const double gain = std::max(gain_, kLeastGain) / static_cast<double>(since_best_ + 1);
    return gain * (Nanoseconds(calls) + kLeastCalls);
  }

 private:
  // Improvements become smaller; and some that no longer come, such as of noise, are worth looking for.
  static constexpr double kSmaller = 0.3;
  static constexpr double kLeastGain = 0.008;
  static constexpr Nanoseconds kLeastCalls = nanoseconds_from_seconds(0.2);

  std::optional<Nanoseconds> best_;
  double gain_ = 0.05;
  std::uint64_t since_best_ = 0;
  std::atomic<double> calls_ = -1.0;
};

}  // namespace wattune::dynamic
