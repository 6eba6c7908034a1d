// Waiting for a device that has to be asked again and again.
#pragma once

#include "core/stopwatch.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// One wait, timed from its beginning.
class Polling {
 public:
  // Returns the time since this object was made.
  Nanoseconds elapsed() const { return stopwatch_.elapsed(); }
  // Pauses between two questions. Sleeps for a fixed part of the time already waited, so that the wait ends at most 1
  // or 2 % late. Short kernels are noticed at once; long ones cost hardly any processor time.
  void pause() const;

 private:
  Stopwatch stopwatch_;
};

// Returns the timeout of a wait for the device, whose last command is a launch or another one.
Error took_too_long(bool launch, Nanoseconds limit);
// Returns the timeout of a compiler, wherever it runs.
Error compiled_too_long(Nanoseconds limit);
// True if the error is one of compiled_too_long().
bool is_compiled_too_long(const Error& error);

}  // namespace wattune::backend
