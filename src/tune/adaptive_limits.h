// AdaptiveLimits: how long compiling and running may take, given what good configurations needed so far.
#pragma once

#include <optional>

#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class AdaptiveLimits {
 public:
  // Some drivers (PoCL's) compile during the first launch of a program.
  explicit AdaptiveLimits(const Limits& limits, bool first_launch_compiles = true)
      : limits_(limits), first_launch_compiles_(first_launch_compiles) {}

  Nanoseconds compile() const;
  Nanoseconds run() const;
  // Of the first launch of a program.
  Nanoseconds first_launch() const { return first_launch_compiles_ ? compile() + run() : run(); }
  // Of all passes in which hardware counters are read, and of starting the profiler.
  Nanoseconds counting() const { return compile() + run() * 65.0; }

  void saw_compile(Nanoseconds time);  // of a configuration that turned out well
  void saw_run(Nanoseconds median);

 private:
  Limits limits_;
  bool first_launch_compiles_;
  std::optional<Nanoseconds> slowest_compile_;
  std::optional<Nanoseconds> fastest_run_;
};

}  // namespace wattune::tune
