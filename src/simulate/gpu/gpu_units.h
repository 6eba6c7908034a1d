// What the sources of simulated GPUs convert by, the sizes that they count in, and what both fidelities say alike.
#pragma once

#include <cstddef>

#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

inline constexpr double kWarpThreads = 32.0;  // of a warp
inline constexpr double kLineBytes = 128.0;   // of an access to shared memory

template <typename Amounts>
auto& of_pipe(Amounts& amounts, Pipe pipe) {
  return amounts[static_cast<std::size_t>(pipe)];
}

// 1e9 cycles per second, of all SMs.
inline double gigahertz_of_sms(const GpuModel& gpu) { return gpu.sms * gpu.clock.value() * 1e-3; }
// Instructions of warps that an SM can issue in a cycle.
inline double issue_rate_of_sm(const GpuModel& gpu) { return gpu.schedulers * gpu.issue_rate; }
inline double bytes_per_cycle(double gigabytes_per_second, Megahertz clock) {
  return gigabytes_per_second * 1e3 / clock.value();
}
// The share of a kernel's requests that L2 answers where this share of the SM's warps are of others.
inline double hit_beside(const SimulatedKernel& kernel, double others) {
  return kernel.l2_hit * (1.0 - kernel.sharing_loss * others);
}

}  // namespace wattune::simulate
