// Worth: whether trying one more configuration of a key pays, as far as can be foretold. One thread; note_calls() of
// any.
//
// The likeliest come first, so that less is found the more were tried: the n-th gains some part of n to the power of
// -1.5. Which part, earlier trials say, of the key itself and of others of its kernel. And calls are taken to go on for
// as long as they did.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "wattune/core/observation.h"

namespace wattune::dynamic {

// What trials have gained, beside how much was to be expected of as many if each gain were 1.
struct Gains {
  double gained = 0.0;  // as shares of what their keys took before
  double expected = 0.0;

  Gains& operator+=(const Gains& more) {
    gained += more.gained;
    expected += more.expected;
    return *this;
  }
  Gains operator-(const Gains& other) const { return {gained - other.gained, expected - other.expected}; }
};

// Of all keys of a kernel. Any thread.
class SharedGains {
 public:
  void add(const Gains& more) {
    const std::lock_guard lock(mutex_);
    all_ += more;
  }
  Gains all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  Gains all_;
};

class Worth {
 public:
  // nullptr: nothing is known of other keys.
  explicit Worth(std::shared_ptr<SharedGains> gains = {})
      : gains_(gains ? std::move(gains) : std::make_shared<SharedGains>()) {}

  // What trying one showed. What the key begins with is the first that works.
  void learn(const Observation& seen) {
    const bool works = seen.status == Status::correct && seen.statistics;
    const bool is_beginning = works && !best_;
    const bool is_new_best = works && (!best_ || is_better(*seen.statistics, *best_));
    if (best_) note_trial(is_new_best ? 1.0 - seen.statistics->median / best_->median : 0.0);
    if (is_beginning || is_new_best) best_ = seen.statistics;
  }
  // The least time so far, but for what may be noise; none: nothing worked yet.
  std::optional<Nanoseconds> best() const { return best_ ? std::optional(best_->median) : std::nullopt; }
  // What calls have taken of the device, and will probably take at least.
  void note_calls(Nanoseconds time) { calls_.store(time.value(), std::memory_order_relaxed); }
  // What one more will gain on average. Where nobody tells of calls, or nothing worked yet of any key, everything pays.
  Nanoseconds of_one_more() const {
    const double calls = calls_.load(std::memory_order_relaxed);
    const Gains others = gains_->all() - own_;
    if (calls < 0.0 || (!best_ && others.expected == 0.0)) return Nanoseconds(std::numeric_limits<double>::infinity());
    const double by_others = (kFirstGain + others.gained) / (1.0 + others.expected);
    const double gain = (kOthersWeigh * by_others + own_.gained) / (kOthersWeigh + own_.expected);
    return gain * expected_of(trials_ + 1) * (Nanoseconds(calls) + kLeastCalls);
  }

 private:
  static constexpr double kFirstGain = 0.1;  // before any was seen
  static constexpr double kOthersWeigh = 3.0;
  static constexpr Nanoseconds kLeastCalls = nanoseconds_from_seconds(0.2);

  static double expected_of(std::uint64_t trial) { return std::pow(static_cast<double>(trial), -1.5); }
  // For certain and by what calls can tell, or by so much that they will probably find it so, as the interval of a few
  // samples is wide. If only what is certain counted, keys would learn from each other that nothing is gained.
  static bool is_better(const Statistics& seen, const Statistics& best) {
    constexpr double kTold = 0.99;
    constexpr double kByMuch = 0.97;
    const bool is_certain = seen.interval_high < best.interval_low && seen.median < kTold * best.median;
    return is_certain || seen.median < kByMuch * best.median;
  }
  void note_trial(double gained) {
    const Gains trial{.gained = gained, .expected = expected_of(++trials_)};
    own_ += trial;
    gains_->add(trial);
  }

  const std::shared_ptr<SharedGains> gains_;
  Gains own_;
  std::optional<Statistics> best_;
  std::uint64_t trials_ = 0;  // since the first that worked
  std::atomic<double> calls_ = -1.0;
};

}  // namespace wattune::dynamic
