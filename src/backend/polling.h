// Waiting for a device that has to be asked again and again.
#pragma once

#include "core/stopwatch.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

class Polling {
 public:
  // Since this was made.
  Nanoseconds elapsed() const { return stopwatch_.elapsed(); }
  // Between two questions. Sleeps a part of the time already waited, so that who waits loses 1 or 2 % at most: short
  // kernels are noticed at once, long ones cost hardly any processor time.
  void pause() const;

 private:
  Stopwatch stopwatch_;
};

// The timeout of a wait for the device: what it was sent last is a launch, or another command.
Error took_too_long(bool launch, Nanoseconds limit);
// The timeout of a compiler, wherever it runs, and whether an Error is that of one.
Error compiled_too_long(Nanoseconds limit);
bool is_compiled_too_long(const Error& error);

}  // namespace wattune::backend
