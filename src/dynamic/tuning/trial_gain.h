// TrialGain: estimates the time that trying one more configuration of a key will save. Only one thread may use this
// object, but any thread may call note_calls() and note_scale().
//
// The likeliest configurations come first, so gains become smaller: the gain of the n-th trial is a factor times n to
// the power of -1.5. The factor is estimated from earlier trials of this key and of other keys of the kernel. If the
// application gives a lower bound on the time, the gain is relative to (best - bound). It is assumed that calls will
// continue for as long a time as they were made so far.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "wattune/core/observation.h"

namespace wattune::inline v0_1::dynamic {

// Gains of earlier trials, and the gains that the same number of trials would have if the factor were 1.
struct Gains {
  double gained = 0.0;  // gained times, as shares of the earlier times of their keys
  double expected = 0.0;
  double expected_of_room = 0.0;  // `expected`, with each trial's part multiplied by room()

  Gains& operator+=(const Gains& more) {
    gained += more.gained;
    expected += more.expected;
    expected_of_room += more.expected_of_room;
    return *this;
  }
  Gains operator-(const Gains& other) const {
    return {gained - other.gained, expected - other.expected, expected_of_room - other.expected_of_room};
  }
};

// The gains of all keys of a kernel. Any thread may use this object.
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
  // Records the factor from times on smaller data to times in calls, for the latest key.
  void note_scale(double scale) {
    const std::lock_guard lock(mutex_);
    scale_ = scale;
  }
  std::optional<double> scale() const {
    const std::lock_guard lock(mutex_);
    return scale_;
  }

 private:
  mutable std::mutex mutex_;
  Gains all_;
  std::optional<double> scale_;
};

class TrialGain {
 public:
  // Takes the gains of other keys, if any are known, and a lower bound on the time in calls, which is 0 if unknown.
  explicit TrialGain(std::shared_ptr<SharedGains> gains = {}, Nanoseconds least = {})
      : gains_(gains ? std::move(gains) : std::make_shared<SharedGains>()), least_(least) {}

  // Announces that times learned from here on are of smaller data, instead of calls.
  void learn_on_smaller_data() { scale_.store(kUnknownScale, std::memory_order_relaxed); }
  // Records the factor from the learned times to times in calls.
  void note_scale(double scale) {
    if (scale_.exchange(scale, std::memory_order_relaxed) != scale) gains_->note_scale(scale);
  }

  // Takes the result of a trial. The first trial that works is that of the configuration with which the key begins.
  void learn(const Observation& seen) {
    const bool works = seen.status == Status::correct && seen.statistics;
    const bool is_beginning = works && !best_;
    const bool is_new_best = works && (!best_ || is_better(*seen.statistics, *best_));
    if (best_) note_trial(is_new_best ? 1.0 - seen.statistics->median / best_->median : 0.0);
    if (is_beginning || is_new_best) best_ = seen.statistics;
  }
  // Returns the least time so far, without improvements that may be noise. Returns nullopt if no trial worked yet.
  std::optional<Nanoseconds> best() const { return best_ ? std::optional(best_->median) : std::nullopt; }
  // Records the device time that calls have taken, and the least time that they will probably take.
  void note_calls(Nanoseconds time) { calls_.store(time.value(), std::memory_order_relaxed); }
  // Returns the mean gain of one more trial. The gain is infinite if the time of calls is unknown, or if no trial of
  // any key has worked yet.
  Nanoseconds of_one_more() const {
    const double calls = calls_.load(std::memory_order_relaxed);
    const Gains others = gains_->all() - own_;
    if (calls < 0.0 || (!best_ && others.expected == 0.0)) return Nanoseconds(std::numeric_limits<double>::infinity());
    // Without a lower bound, trials are assumed to gain the same share of the whole time as the trials of other keys.
    const std::optional<double> room = this->room();
    const double part = room.value_or(1.0);
    if (part == 0.0) return {};
    const double expected = room && least_ > Nanoseconds() ? others.expected_of_room : others.expected;
    const double by_others = (kFirstGain + others.gained) / (1.0 + expected);
    const double by_own =
        (kWeightOfOtherKeys * part * by_others + own_.gained) / (kWeightOfOtherKeys * part + own_.expected_of_room);
    return by_own * part * expected_of(trials_ + 1) * (Nanoseconds(calls) + kLeastCalls);
  }

 private:
  static constexpr double kUnknownScale = 0.0;  // value of an unknown scale
  static constexpr double kFirstGain = 0.1;     // assumed gain before any trial
  static constexpr double kWeightOfOtherKeys = 3.0;
  static constexpr Nanoseconds kLeastCalls = nanoseconds_from_seconds(0.2);

  static double expected_of(std::uint64_t trial) { return std::pow(static_cast<double>(trial), -1.5); }
  // True if the new time counts as better. Either the intervals prove the gain, and it is large enough for calls to
  // notice. Or the gain is so large that calls will probably confirm it, although intervals of a few samples are wide.
  // If only certain gains counted, keys would learn from each other that trials gain nothing.
  static bool is_better(const Statistics& seen, const Statistics& best) {
    constexpr double kCertainGain = 0.99;
    constexpr double kLargeGain = 0.97;
    const bool is_certain = seen.interval_high < best.interval_low && seen.median < kCertainGain * best.median;
    return is_certain || seen.median < kLargeGain * best.median;
  }
  // Returns the most that one more trial can gain, as a share of the best time. Returns nullopt if that is unknown.
  std::optional<double> room() const {
    if (least_ == Nanoseconds()) return 1.0;
    const double own = scale_.load(std::memory_order_relaxed);
    const double scale = own != kUnknownScale ? own : gains_->scale().value_or(kUnknownScale);
    if (!best_ || scale == kUnknownScale) return std::nullopt;
    return std::clamp(1.0 - least_ / (best_->median * scale), 0.0, 1.0);
  }
  void note_trial(double gained) {
    const double expected = expected_of(++trials_);
    const std::optional<double> room = this->room();
    if (!room) return;
    const Gains trial{.gained = gained, .expected = expected, .expected_of_room = *room * expected};
    own_ += trial;
    gains_->add(trial);
  }

  const std::shared_ptr<SharedGains> gains_;
  const Nanoseconds least_;
  std::atomic<double> scale_ = 1.0;
  Gains own_;
  std::optional<Statistics> best_;
  std::uint64_t trials_ = 0;  // number of trials after the first one that worked
  std::atomic<double> calls_ = -1.0;
};

}  // namespace wattune::dynamic
