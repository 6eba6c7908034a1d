// Worth: whether trying one more configuration of a key pays, as far as can be foretold. One thread; note_calls() and
// note_scale() of any.
//
// The likeliest come first, so that less is found the more were tried: the n-th gains some part of n to the power of
// -1.5. Which part, earlier trials say, of the key itself and of others of its kernel; where the application says what
// no configuration takes less than, which part of what the best takes more. And calls are taken to go on for as long as
// they did.
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

namespace wattune::dynamic {

// What trials have gained, beside how much was to be expected of as many if each gain were 1.
struct Gains {
  double gained = 0.0;  // as shares of what their keys took before
  double expected = 0.0;
  double expected_of_room = 0.0;  // if each were all that is left above the least time

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
  // Calls of a key took so many times longer than what was screened on smaller data. Of the last key.
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

class Worth {
 public:
  // nullptr: nothing is known of other keys. `least`: no configuration takes less in calls; 0: nobody says so.
  explicit Worth(std::shared_ptr<SharedGains> gains = {}, Nanoseconds least = {})
      : gains_(gains ? std::move(gains) : std::make_shared<SharedGains>()), least_(least) {}

  // What is learned from here on are times on smaller data, not of calls.
  void learn_on_smaller_data() { scale_.store(kUnknown, std::memory_order_relaxed); }
  // Calls take so many times longer than what is learned.
  void note_scale(double scale) {
    if (scale_.exchange(scale, std::memory_order_relaxed) != scale) gains_->note_scale(scale);
  }

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
    // Where nobody knows what is left above the least time, trials gain as much of the whole as those of others did.
    const std::optional<double> room = this->room();
    const double part = room.value_or(1.0);
    if (part == 0.0) return {};
    const double expected = room && least_ > Nanoseconds() ? others.expected_of_room : others.expected;
    const double by_others = (kFirstGain + others.gained) / (1.0 + expected);
    const double by_own =
        (kOthersWeigh * part * by_others + own_.gained) / (kOthersWeigh * part + own_.expected_of_room);
    return by_own * part * expected_of(trials_ + 1) * (Nanoseconds(calls) + kLeastCalls);
  }

 private:
  static constexpr double kUnknown = 0.0;    // a scale
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
  // What one more can gain at most, as a share of what the best takes; none: nobody knows.
  std::optional<double> room() const {
    if (least_ == Nanoseconds()) return 1.0;
    const double own = scale_.load(std::memory_order_relaxed);
    const double scale = own != kUnknown ? own : gains_->scale().value_or(kUnknown);
    if (!best_ || scale == kUnknown) return std::nullopt;
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
  std::uint64_t trials_ = 0;  // since the first that worked
  std::atomic<double> calls_ = -1.0;
};

}  // namespace wattune::dynamic
