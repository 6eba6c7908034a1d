// AdaptiveLimits: how long compiling and running may take, given what good configurations needed so far.
#pragma once

#include <optional>

#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class AdaptiveLimits {
 public:
  explicit AdaptiveLimits(const Limits& limits) : limits_(limits) {}

  Nanoseconds compile() const;
  Nanoseconds run() const;
  // Of the first launch of a program, during which some drivers (PoCL) compile.
  Nanoseconds first_launch() const { return compile() + run(); }
  // Of all passes in which hardware counters are read, and of starting the profiler.
  Nanoseconds counting() const { return first_launch() + run() * 64.0; }
  // Of moving data, which has nothing to do with the configuration.
  Nanoseconds transfer() const { return limits_.run; }

  void saw_compile(Nanoseconds time);  // of a configuration that turned out well
  void saw_run(Nanoseconds median);

 private:
  Limits limits_;
  std::optional<Nanoseconds> slowest_compile_;
  std::optional<Nanoseconds> fastest_run_;
};

}  // namespace wattune::tune
