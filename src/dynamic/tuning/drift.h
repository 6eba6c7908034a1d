// Drift: tells whether the best known configuration has become slower or faster, by the times of a few of the
// application's calls.
//
// The object belongs to one instance, whose mutex guards it. WatchedCalls chooses the calls that are timed for it, and
// takes no lock. No function waits. All instances of a tuner share one DeviceDrift. It distinguishes a change of one
// kernel from a change of the device, which affects all kernels.
//
//   if (watched.due(number, now)) drift.watch(send_timed());        // one call in so many
//   if (const auto moved = drift.collect(now); moved && moved->cause == Cause::kernel) tune_again();
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "dynamic/calls/variant.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::dynamic {

enum class Cause {
  kernel,  // only this kernel's times changed, since its data changed, or the work that runs beside it
  device   // the times of most watched kernels changed, as after a change of clock; the best is probably still the same
};

// Times of a device's watched kernels, as multiples of their earlier times. Any thread may use this object.
class DeviceDrift {
 public:
  void note(const void* kernel, double ratio, Nanoseconds now);
  // Returns the cause of a change by the factor `ratio`. The cause is the device if the times of two thirds of the
  // other recent kernels changed in the same direction, by at least a third as much. A third suffices because a change
  // of the core clock changes the times of memory-bound kernels less.
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
  double ratio = 1.0;  // new time over old time
  Cause cause = Cause::kernel;
};

// The choice of calls that are timed. Any thread may use this object.
class WatchedCalls {
 public:
  // Takes the policy: one call in `every` calls is timed, or none if `every` is 0.
  explicit WatchedCalls(std::uint64_t every) : every_(every) {}

  // Returns true if the call of this number is to be timed. One call in `every_` is timed, but at most one within
  // kTimedCallInterval. The events of a timed call cost microseconds, which would slow down short kernels noticeably.
  template <typename Clock>
  bool due(std::uint64_t number, const Clock& now) {
    if (every_ == 0 || number % every_ != every_ - 1) return false;
    const double time = now().value();
    if (time < next_.load(std::memory_order_relaxed)) return false;
    next_.store(time + kTimedCallInterval.value(), std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr Nanoseconds kTimedCallInterval = nanoseconds_from_ms(10.0);

  const std::uint64_t every_;
  std::atomic<double> next_ = 0.0;
};

class Drift {
 public:
  // Takes the share by which times may change before that counts as drift (TuningPolicy::drift).
  Drift(double most, DeviceDrift& device) : most_(most), device_(device) {}
  Drift(const Drift&) = delete;
  Drift& operator=(const Drift&) = delete;
  ~Drift() { device_.forget(this); }

  void watch(TimedCall call);
  // Takes the times that are available. Reports a change once. After that, later times are compared with the changed
  // ones.
  std::optional<Moved> collect(Nanoseconds now);
  // Begins anew with another best known configuration.
  void begin_anew();

 private:
  std::optional<Moved> take(Nanoseconds time, Nanoseconds now);

  const double most_;
  DeviceDrift& device_;
  std::deque<TimedCall> out_;
  std::vector<double> before_;  // the first times, in ns
  std::deque<double> lately_;   // the last times, in ns
  std::size_t moved_for_ = 0;   // number of times in a row for which the medians have differed
};

}  // namespace wattune::dynamic
