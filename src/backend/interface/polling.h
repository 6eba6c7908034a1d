// Helps to wait for a device that must be asked again and again.
#pragma once

#include "core/stopwatch.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// A wait that asks repeatedly, timed from its beginning.
class Polling {
 public:
  // Returns the time since this object was made.
  Nanoseconds elapsed() const { return stopwatch_.elapsed(); }
  // Pauses between two questions. Sleeps for a fixed share of the time waited so far, so that the wait ends at most 1
  // or 2 % late. The end of a short kernel is noticed at once; waiting for a long one takes hardly any processor time.
  void pause() const;

 private:
  Stopwatch stopwatch_;
};

// Returns the error of a wait for the device that took longer than `limit`. `launch` tells whether its last command is
// a launch.
Error took_too_long(bool launch, Nanoseconds limit);
// Returns the error of a compilation that took longer than `limit`, wherever it ran.
Error compiled_too_long(Nanoseconds limit);
// True if the error is one of compiled_too_long().
bool is_compiled_too_long(const Error& error);

}  // namespace wattune::backend
