// AdaptiveLimits: how long compiling and running may take, given what good configurations needed so far.
#pragma once

#include <optional>
#include <string>

#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class AdaptiveLimits {
 public:
  explicit AdaptiveLimits(const Limits& limits) : limits_(limits) {}

  Nanoseconds compile() const;
  Nanoseconds run() const;
  bool compile_is_tightened() const { return compile() < limits_.compile; }
  bool run_is_tightened() const { return run() < limits_.run; }
  // Each in words for whoever meets it: how long it is, the option that sets it, and why it is shorter than that.
  std::string compile_in_words() const;
  std::string run_in_words() const;
  // Of all passes in which hardware counters are read, and of starting the profiler.
  Nanoseconds counting() const { return compile() + run() * 65.0; }

  void saw_compile(Nanoseconds time);  // of a configuration that turned out well
  void saw_run(Nanoseconds median);
  // Back to what they started with, for a second try, or not.
  void widen(bool wide) { wide_ = wide; }

 private:
  Limits limits_;
  bool wide_ = false;
  std::optional<Nanoseconds> slowest_compile_;
  std::optional<Nanoseconds> fastest_run_;
};

}  // namespace wattune::tune
