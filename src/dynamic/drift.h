// Drift: whether the best known takes longer or shorter than it did, from a few of the application's calls.
//
// Of one instance, under its lock, but for due(), which any thread may ask; nothing waits. DeviceDrift is shared by all
// instances of a tuner and tells a kernel that moved from a device on which everything moved.
//
//   if (drift.due(number, now)) drift.watch(send_timed());          // one call in so many
//   if (const auto moved = drift.collect(now); moved && moved->cause == Cause::kernel) tune_again();
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "dynamic/variant.h"
#include "wattune/core/units.h"

namespace wattune::dynamic {

enum class Cause {
  kernel,  // this one alone: what it works on has changed, or what runs beside it
  device   // most of those that are watched, such as by another clock: what is best has probably stayed the same
};

// What the watched kernels of a device take, as multiples of what they took. Any thread.
class DeviceDrift {
 public:
  void note(const void* kernel, double ratio, Nanoseconds now);
  // Why the kernel moved by so much: the device, if two thirds of the others that were seen lately moved the same way,
  // a third as far at least (clocks of compute units move kernels that wait for memory less).
  Cause cause(const void* kernel, double ratio, Nanoseconds now) const;
  void forget(const void* kernel);

 private:
  struct Seen {
    double ratio;
    Nanoseconds at;
  };
  mutable std::mutex mutex_;
  std::map<const void*, Seen> seen_;
};

struct Moved {
  double ratio = 1.0;  // of what it takes to what it took
  Cause cause = Cause::kernel;
};

class Drift {
 public:
  // One call in `every` is timed, none where that is 0; `most` is how far times may move (TuningPolicy::drift).
  Drift(std::uint64_t every, double most, DeviceDrift& device) : every_(every), most_(most), device_(device) {}
  Drift(const Drift&) = delete;
  Drift& operator=(const Drift&) = delete;
  ~Drift() { device_.forget(this); }

  // Whether the call of this number is to be timed: one in so many, but not before kBetween has passed since one was:
  // the events of a timed call cost microseconds, which calls of a kernel that takes no longer would feel.
  template <typename Clock>
  bool due(std::uint64_t number, const Clock& now) {
    if (every_ == 0 || number % every_ != every_ - 1) return false;
    const double time = now().value();
    if (time < next_.load(std::memory_order_relaxed)) return false;
    next_.store(time + kBetween.value(), std::memory_order_relaxed);
    return true;
  }
  void watch(TimedCall call);
  // Takes the times that are there. When they have moved that is told once, and the new ones are what is compared with.
  std::optional<Moved> collect(Nanoseconds now);
  // Another configuration is the best known.
  void begin_anew();

 private:
  static constexpr Nanoseconds kBetween = nanoseconds_from_ms(10.0);

  std::optional<Moved> take(Nanoseconds time, Nanoseconds now);

  const std::uint64_t every_;
  const double most_;
  DeviceDrift& device_;
  std::atomic<double> next_ = 0.0;
  std::deque<TimedCall> out_;
  std::vector<double> before_;  // the first times, in ns
  std::deque<double> lately_;   // the last
  std::size_t moved_for_ = 0;   // times in a row that they were far from those before
};

}  // namespace wattune::dynamic
