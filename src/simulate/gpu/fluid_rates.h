// The rates at which kernels flow through SMs and memory that they share, while nothing begins or ends.
//
// Within an SM each resource is shared by max-min: every warp gets the same rate unless it can use less. L2 and DRAM
// are queues whose delay, the same for all, grows until what is asked for is what they serve. Times are cycles.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "simulate/gpu/engine.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

// What an SM gives each cycle: instructions of its schedulers, those of each pipe, bytes of L1.
constexpr std::size_t kLocalResources = kPipes + 2;
using LocalResources = std::array<double, kLocalResources>;

// The warps of one kernel on one SM.
struct FluidLoad {
  std::size_t kernel = 0;
  double warps = 0.0;
  double cycles = 1.0;      // from an instruction of a warp to its next, on average, where nobody queues
  double l2_waits = 0.0;    // times that an instruction waits for a request to L2, and of those
  double dram_waits = 0.0;  // to DRAM, on average
  LocalResources use = {};  // by an instruction
  double l2_bytes = 0.0;    // by an instruction
  double dram_bytes = 0.0;  // by an instruction
  double dram_time = 0.0;   // in bytes that DRAM could move meanwhile
};

// SMs on which the same runs.
struct FluidSm {
  std::vector<FluidLoad> loads;
  unsigned count = 1;
};

struct FluidLimits {
  LocalResources local = {};
  double l2_bytes_per_cycle = 0.0;
  double dram_bytes_per_cycle = 0.0;
  double dram_mixing_loss = 0.0;
};

struct FluidDelays {
  double l2 = 0.0;
  double dram = 0.0;
};

FluidLimits limits_of(const GpuModel& gpu, const GpuClocks& clocks);
// `blocks` of each kernel (by their place in `kernels`, without zeros) on an SM.
struct ResidentBlocks {
  std::size_t kernel = 0;
  unsigned blocks = 0;

  auto operator<=>(const ResidentBlocks&) const = default;
};
FluidSm fluid_sm(const GpuModel& gpu, Megahertz clock, std::span<const SimulatedKernel> kernels,
                 std::span<const ResidentBlocks> residents);

// Instructions per cycle of a warp of each load, with these delays of the memory.
std::vector<double> local_rates(const FluidLimits& limits, const FluidSm& sm, const FluidDelays& delays);
// The delays at which L2 and DRAM serve what is asked for; `guess` are those of before.
FluidDelays settled_delays(const FluidLimits& limits, std::span<const FluidSm> sms, const FluidDelays& guess);

}  // namespace wattune::simulate
