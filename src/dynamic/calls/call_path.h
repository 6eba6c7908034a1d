// CallPath: the first step of each call of an instance. It decides whether the call can run the best known
// configuration at once. It takes no lock and allocates no memory.
//
// A call is steady if its key has no candidate to try and no call to time now. A steady call runs the best known
// configuration without asking the instance. Any thread may call any function. Functions that change the variant of
// steady calls are called under the instance's mutex, so that they never overlap. Through atomics, calls see the change
// without locking the mutex.
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
  // Takes the policy's `watch_every`. The surroundings must outlive this object.
  CallPath(const Surroundings& around, std::uint64_t watch_every) : around_(around), watched_(watch_every) {}

  // Counts a call and returns the number of the call.
  std::uint64_t count() { return calls_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  // Returns the variant that the call of this number runs without a decision of the instance (a steady call). Returns
  // nullptr if the instance must decide. The variant lives as long as the instance.
  Variant* steady(Mode mode, std::uint64_t number) {
    Variant* const best = best_.load(std::memory_order_acquire);
    if (best == nullptr || mode == Mode::explore) return nullptr;
    if (mode == Mode::best) return best;
    const double until = resting_until_.load(std::memory_order_relaxed);
    if (until == kForGood) return best_is_due(number) ? nullptr : best;
    return around_.now().value() < until ? best : nullptr;
  }
  // Returns about how long a launch takes. Returns 0 if that is unknown.
  Nanoseconds expected() const { return Nanoseconds(expected_.load(std::memory_order_relaxed)); }
  bool has_best() const { return best_.load(std::memory_order_acquire) != nullptr; }
  // Returns true if, since the last call of this function, there was a call that is due to be timed.
  bool take_due() { return due_.exchange(false); }

  // Makes steady calls, about which the instance does not decide, run this variant. Returns true if they ran another
  // one before.
  bool lead(Variant& best) { return best_.exchange(&best, std::memory_order_release) != &best; }
  // Makes the instance decide about all calls until lead() names a variant for them.
  void close() { best_.store(nullptr, std::memory_order_release); }
  void expect(Nanoseconds time) { expected_.store(time.value(), std::memory_order_relaxed); }
  // Keeps the instance from deciding about calls until `time`, by the tuner's clock. Until then, calls run the best
  // known variant.
  void rest_until(Nanoseconds time) { resting_until_.store(time.value(), std::memory_order_relaxed); }
  // Keeps the instance from deciding about calls from now on, except those that are due to be timed.
  void rest_for_good() { resting_until_.store(kForGood, std::memory_order_relaxed); }
  // Makes the instance decide about the next call, even if a rest is not over.
  void wake() { resting_until_.store(0.0, std::memory_order_relaxed); }

 private:
  static constexpr double kForGood = std::numeric_limits<double>::infinity();
  // True if this call of the best known configuration is to be timed. While no candidate is compared with the best
  // known configuration, only one call in `watch_every` is timed.
  bool best_is_due(std::uint64_t number) {
    if (!watched_.due(number, [this] { return around_.now(); })) return false;
    due_.store(true, std::memory_order_relaxed);
    return true;
  }

  const Surroundings& around_;
  std::atomic<Variant*> best_ = nullptr;
  std::atomic<double> resting_until_ = 0.0;  // until this time, by the tuner's clock, nothing is tried or checked
  std::atomic<double> expected_ = 0.0;
  std::atomic<bool> due_ = false;  // true if the next call is timed
  std::atomic<std::uint64_t> calls_ = 0;
  WatchedCalls watched_;
};

}  // namespace wattune::dynamic
