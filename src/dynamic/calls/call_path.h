// CallPath: the first step of each call of an instance: it decides whether the call can run the best known
// configuration at once. It takes no lock and allocates nothing.
//
// A call is steady if its key has nothing to try and nothing to time now. It then runs the best known configuration
// without asking the instance. Any thread may call any function. Functions that change what steady calls run are called
// under the instance's mutex, so that they follow each other; the atomics make the change known to calls, which do not
// take it.
//
//   const std::uint64_t number = path.count();
//   if (Variant* const steady = path.steady(mode, number)) return steady->send(stream, arguments);
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "dynamic/calls/surroundings.h"
#include "dynamic/calls/variant.h"
#include "wattune/dynamic/policy.h"

namespace wattune::inline v0_1::dynamic {

class CallPath {
 public:
  // Takes the policy's `watch_every`. The surroundings outlive it.
  CallPath(const Surroundings& around, std::uint64_t watch_every) : around_(around), watched_(watch_every) {}

  // Counts a call and returns its number.
  std::uint64_t count() { return calls_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  // Returns the variant that the call of this number runs if it is steady; nullptr if the instance must decide. The
  // variant lives as long as the instance.
  Variant* steady(Mode mode, std::uint64_t number) {
    Variant* const best = best_.load(std::memory_order_acquire);
    if (best == nullptr || mode == Mode::explore) return nullptr;
    if (mode == Mode::best) return best;
    const double until = resting_until_.load(std::memory_order_relaxed);
    if (until == kForGood) return best_is_due(number) ? nullptr : best;
    return around_.now().value() < until ? best : nullptr;
  }
  // Returns about how long a launch takes; 0 if unknown.
  Nanoseconds expected() const { return Nanoseconds(expected_.load(std::memory_order_relaxed)); }
  bool has_best() const { return best_.load(std::memory_order_acquire) != nullptr; }
  // Returns true if since the last time a call was found that is due to be timed.
  bool take_due() { return due_.exchange(false); }

  // Makes steady calls run this variant. Returns true if they ran another one before.
  bool lead(Variant& best) { return best_.exchange(&best, std::memory_order_release) != &best; }
  // Makes no call steady until lead().
  void close() { best_.store(nullptr, std::memory_order_release); }
  void expect(Nanoseconds time) { expected_.store(time.value(), std::memory_order_relaxed); }
  // Makes calls steady until this time, by the tuner's clock.
  void rest_until(Nanoseconds time) { resting_until_.store(time.value(), std::memory_order_relaxed); }
  // Makes all calls steady except those that are due to be timed.
  void rest_for_good() { resting_until_.store(kForGood, std::memory_order_relaxed); }
  // Makes the instance decide about the next call.
  void wake() { resting_until_.store(0.0, std::memory_order_relaxed); }

 private:
  static constexpr double kForGood = std::numeric_limits<double>::infinity();
  // True if this call of the best is to be timed. While the best is compared with nothing, only one call in so many is
  // timed.
  bool best_is_due(std::uint64_t number) {
    if (!watched_.due(number, [this] { return around_.now(); })) return false;
    due_.store(true, std::memory_order_relaxed);
    return true;
  }

  const Surroundings& around_;
  std::atomic<Variant*> best_ = nullptr;
  std::atomic<double> resting_until_ = 0.0;  // by the tuner's clock: until then, nothing is tried or looked at
  std::atomic<double> expected_ = 0.0;
  std::atomic<bool> due_ = false;  // true if the next call is timed
  std::atomic<std::uint64_t> calls_ = 0;
  WatchedCalls watched_;
};

}  // namespace wattune::dynamic
