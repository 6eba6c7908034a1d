// KeyUsage: the device time that calls of one key took, saved, and will probably take. It passes these times on to the
// stall budget and to Usage.
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
  // Takes surroundings and path, which outlive it.
  KeyUsage(Surroundings& around, const CallPath& path) : around_(around), path_(path) {}
  KeyUsage(const KeyUsage&) = delete;
  KeyUsage& operator=(const KeyUsage&) = delete;
  // Withdraws the running time that the stall budget was told for expected calls.
  ~KeyUsage() { around_.stall_budget.expect(Nanoseconds() - told_run_); }

  // Notes that the application expects this many calls from here on.
  void expect(std::uint64_t calls) { told_calls_ = path_.calls() + calls; }
  // Counts the calls since the last count: their time, and the time saved against the first configuration.
  void count(const Pairing& pairing);
  // Returns the number of calls so far, or the expected number if that is larger.
  std::uint64_t calls() const { return std::max(path_.calls(), told_calls_); }
  // Returns the device time of the calls that were counted.
  Nanoseconds took() const { return took_; }
  // Returns the device time that calls will probably take from here on. If the application announced a number of calls,
  // it is the difference between that and the calls so far. Otherwise it is the time that calls of this key have taken
  // or, if that is more, the mean time of all keys.
  Nanoseconds outlook() const;

 private:
  Surroundings& around_;
  const CallPath& path_;
  std::optional<std::pair<ConfigurationId, Nanoseconds>> beginning_with_;  // the first that was timed
  std::uint64_t counted_calls_ = 0;  // number of calls whose time and savings are counted
  Nanoseconds took_;
  std::uint64_t told_calls_ = 0;  // number of expected calls, with those made before; 0 if unknown
  Nanoseconds told_run_;          // device time of the expected calls, as the stall budget was told
};

}  // namespace wattune::dynamic
