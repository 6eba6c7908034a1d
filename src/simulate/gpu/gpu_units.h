// Units, conversions and rules that both fidelities of the simulation share.
#pragma once

#include <cstddef>

#include "simulate/interface/simulated_kernel.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

inline constexpr double kWarpThreads = 32.0;  // threads per warp
inline constexpr double kLineBytes = 128.0;   // bytes of an access of a warp to shared memory

template <typename Amounts>
auto& of_pipe(Amounts& amounts, Pipe pipe) {
  return amounts[static_cast<std::size_t>(pipe)];
}

// Returns the clock of the SMs, summed over all of them, in 1e9 cycles per second.
inline double gigahertz_of_sms(const GpuModel& gpu) { return gpu.sms * gpu.clock.value() * 1e-3; }
// Returns the warp instructions that an SM can issue per cycle.
inline double issue_rate_of_sm(const GpuModel& gpu) { return gpu.schedulers * gpu.issue_rate; }
inline double bytes_per_cycle(double gigabytes_per_second, Megahertz clock) {
  return gigabytes_per_second * 1e3 / clock.value();
}
// Returns the share of a kernel's requests that L2 answers if the share `others` of the SM's warps belongs to other
// kernels.
inline double hit_beside(const SimulatedKernel& kernel, double others) {
  return kernel.l2_hit * (1.0 - kernel.sharing_loss * others);
}

}  // namespace wattune::simulate
