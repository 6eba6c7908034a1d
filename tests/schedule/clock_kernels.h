// Kernels with profiles at 500 MHz and at 1000 MHz, the board's own clock; the idle power is 20 W. One computes and
// takes 1.0 J at 1000 MHz and 1.2 J at 500. One waits for memory and takes 1.0 and 0.6 J. Each takes 10 ms at 1000 MHz,
// or a multiple of time and energy.
#pragma once

#include <string>
#include <utility>

#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {

constexpr backend::BoardSetting kHalf{.graphics = Megahertz(500)};
constexpr backend::BoardSetting kFull{.graphics = Megahertz(1000)};

inline KernelTraits clocked_kernel(std::string name, double slower_at_half, const backend::BoardSetting& best,
                                   double times) {
  KernelTraits kernel = tiny_kernel(std::move(name));
  kernel.alone = nanoseconds_from_ms(10.0 * times);
  kernel.power = {.alone = Watts(100), .idle = Watts(20)};
  kernel.at_clocks = {{Megahertz(500), slower_at_half * *kernel.alone, {.alone = Watts(60), .idle = Watts(20)}},
                      {Megahertz(1000), *kernel.alone, {.alone = Watts(100), .idle = Watts(20)}}};
  kernel.best_clocks = best;
  return kernel;
}
inline KernelTraits computing_kernel(double times = 1.0) { return clocked_kernel("computes", 2.0, kFull, times); }
inline KernelTraits waiting_kernel(double times = 1.0) { return clocked_kernel("waits", 1.0, kHalf, times); }

}  // namespace wattune::schedule
