// Waiting for a device that has to be asked again and again.
#pragma once

#include <chrono>

#include "wattune/core/units.h"

namespace wattune::backend {

class Polling {
 public:
  // Since this was made.
  Nanoseconds elapsed() const;
  // Between two questions. Sleeps an eighth of the time already waited: short kernels are noticed at once, long ones
  // cost no processor time.
  void pause() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace wattune::backend
