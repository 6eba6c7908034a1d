// Worth: whether trying one more configuration of a key pays, as far as can be foretold. One thread; note_calls() of
// any.
//
// Of so many exchangeable configurations that were tried since the best one came, the next is better with probability
// 1 / (n + 1). How much better, the last improvements say; and calls are taken to go on for as long as they did. What a
// key begins with counts as the best of as many as it held against in other keys.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "wattune/core/observation.h"

namespace wattune::dynamic {

// What the keys of a kernel have shown of what they began with: against how many trials it held, and by how much the
// first that was better was so. A good guess is no configuration like others. Any thread.
class Beginnings {
 public:
  struct Known {
    double held_against;  // trials, on average
    double gain;          // of the first that was better
    bool any;
  };
  void held() {
    const std::lock_guard lock(mutex_);
    ++held_;
  }
  void beaten(double gain) {
    const std::lock_guard lock(mutex_);
    ++beaten_;
    gains_ += gain;
  }
  // To a key whose own beginning has held against `own` of the trials.
  Known known(double own) const {
    const std::lock_guard lock(mutex_);
    return {(held_ - own) / (beaten_ + 1), (kFirstGain + gains_) / (beaten_ + 1), held_ - own + beaten_ > 0};
  }

 private:
  static constexpr double kFirstGain = 0.05;  // before any was beaten

  mutable std::mutex mutex_;
  double held_ = 0.0;
  double beaten_ = 0.0;
  double gains_ = 0.0;
};

class Worth {
 public:
  // nullptr: nothing is known of other keys.
  explicit Worth(std::shared_ptr<Beginnings> beginnings = {})
      : beginnings_(beginnings ? std::move(beginnings) : std::make_shared<Beginnings>()) {}

  // What trying one showed.
  void learn(const Observation& seen) {
    ++since_best_;
    const bool works = seen.status == Status::correct && seen.statistics;
    if (!works || (best_ && !is_better(*seen.statistics, *best_))) return is_beginning() ? hold() : void();
    if (best_) improve(1.0 - seen.statistics->median / best_->median);
    best_ = seen.statistics;
    since_best_ = 0;
  }
  // The least time so far, but for what may be noise; none: nothing worked yet.
  std::optional<Nanoseconds> best() const { return best_ ? std::optional(best_->median) : std::nullopt; }
  // What calls have taken of the device, and will probably take at least.
  void note_calls(Nanoseconds time) { calls_.store(time.value(), std::memory_order_relaxed); }
  // What one more will gain on average. Where nobody tells of calls, or nothing worked yet of any key, everything pays.
  Nanoseconds of_one_more() const {
    const double calls = calls_.load(std::memory_order_relaxed);
    const Beginnings::Known others = beginnings_->known(held_);
    if (calls < 0.0 || (!best_ && !others.any)) return Nanoseconds(std::numeric_limits<double>::infinity());
    const double tried = static_cast<double>(since_best_) + (gain_ ? 0.0 : others.held_against);
    return std::max(gain_.value_or(others.gain), kLeastGain) / (tried + 1.0) * (Nanoseconds(calls) + kLeastCalls);
  }

 private:
  // Improvements become smaller; and some that no longer come, such as of noise, are worth looking for.
  static constexpr double kSmaller = 0.3;
  static constexpr double kLeastGain = 0.008;
  static constexpr Nanoseconds kLeastCalls = nanoseconds_from_seconds(0.2);

  // For certain, and by what calls can tell.
  static bool is_better(const Statistics& seen, const Statistics& best) {
    constexpr double kTold = 0.99;
    return seen.interval_high < best.interval_low && seen.median < kTold * best.median;
  }
  bool is_beginning() const { return best_ && !gain_; }
  void hold() {
    ++held_;
    beginnings_->held();
  }
  void improve(double by) {
    if (is_beginning()) beginnings_->beaten(by);
    gain_ = std::max(kSmaller * by, 0.5 * gain_.value_or(beginnings_->known(held_).gain));
  }

  const std::shared_ptr<Beginnings> beginnings_;
  std::optional<Statistics> best_;
  std::optional<double> gain_;  // none: nothing was better than the first that worked
  std::uint64_t since_best_ = 0;
  double held_ = 0.0;  // trials that the first that worked held against
  std::atomic<double> calls_ = -1.0;
};

}  // namespace wattune::dynamic
