// KeyUsage: the device time that calls of one key have taken, have saved, and will probably take. It passes these times
// on to the stall budget and to Usage.
//
// It belongs to one instance. The instance's mutex guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "dynamic/calls/call_path.h"
#include "dynamic/calls/surroundings.h"
#include "dynamic/tuning/pairing.h"

namespace wattune::inline v0_1::dynamic {

class KeyUsage {
 public:
  // Takes surroundings and path. Both must outlive this object.
  KeyUsage(Surroundings& around, const CallPath& path) : around_(around), path_(path) {}
  KeyUsage(const KeyUsage&) = delete;
  KeyUsage& operator=(const KeyUsage&) = delete;
  // Withdraws the running time of expected calls that was added to the stall budget.
  ~KeyUsage() { around_.stall_budget.expect(Nanoseconds() - told_run_); }

  // Records that the application expects this many more calls.
  void expect(std::uint64_t calls) { told_calls_ = path_.calls() + calls; }
  // Counts the calls since the last count. Adds their time, and the time that they saved compared with the first
  // configuration.
  void count(const Pairing& pairing);
  // Returns the number of calls so far, or the expected number if that is larger.
  std::uint64_t calls() const { return std::max(path_.calls(), told_calls_); }
  // Returns the device time of all calls that were counted.
  Nanoseconds took() const { return took_; }
  // Returns the device time that calls will probably take from here on. If the application announced a number of calls,
  // the result is the time of the announced calls that are still to come. Otherwise it is the time that calls of this
  // key have taken or, if that is more, the mean time of all keys.
  Nanoseconds outlook() const;

 private:
  Surroundings& around_;
  const CallPath& path_;
  // The first configuration that has a time, with that time.
  std::optional<std::pair<ConfigurationId, Nanoseconds>> beginning_with_;
  std::uint64_t counted_calls_ = 0;  // number of calls whose time and savings are counted
  Nanoseconds took_;
  std::uint64_t told_calls_ = 0;  // number of calls up to the last expected one; 0 if unknown
  Nanoseconds told_run_;          // device time of expected calls that was added to the stall budget
};

}  // namespace wattune::dynamic
