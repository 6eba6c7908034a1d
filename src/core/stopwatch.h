// A stopwatch: the wall time since it was made.
#pragma once

#include <chrono>

#include "wattune/core/units.h"

namespace wattune::inline v0_1 {

class Stopwatch {
 public:
  Nanoseconds elapsed() const {
    return Nanoseconds(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace wattune
