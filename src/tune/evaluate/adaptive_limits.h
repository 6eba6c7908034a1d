// AdaptiveLimits: the limits of the time for compiling and running, tightened by the times that good configurations
// needed so far.
#pragma once

#include <optional>
#include <string>

#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

class AdaptiveLimits {
 public:
  explicit AdaptiveLimits(const Limits& limits) : limits_(limits) {}

  Nanoseconds compile() const;
  Nanoseconds run() const;
  bool compile_is_tightened() const { return compile() < limits_.compile; }
  bool run_is_tightened() const { return run() < limits_.run; }
  // Describes a limit for messages: its length, the option that sets it, and why it is shorter than the option says.
  std::string compile_in_words() const;
  std::string run_in_words() const;
  // Returns the limit for all passes in which hardware counters are read, and for starting the profiler.
  Nanoseconds counting() const { return compile() + run() * 65.0; }

  void saw_compile(Nanoseconds time);  // call these two for a configuration that turned out to be good
  void saw_run(Nanoseconds median);
  // Sets the limits for compiling and running to their first values, for a second try, if `wide` is true. Otherwise
  // tightens them again.
  void widen(bool wide) { wide_ = wide; }

 private:
  Limits limits_;
  bool wide_ = false;
  std::optional<Nanoseconds> slowest_compile_;
  std::optional<Nanoseconds> fastest_run_;
};

}  // namespace wattune::tune
