// Computes the rates of kernels that share SMs and memory, while no block begins or ends.
//
// Within an SM each resource is shared by max-min fairness: every warp gets the same rate unless it can use less. L2
// and DRAM are queues with the same delay for all requests. The delay grows until the demand equals the capacity. Times
// are in cycles.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "simulate/gpu/engine.h"
#include "simulate/interface/simulated_kernel.h"

namespace wattune::inline v0_1::simulate {

// The number of resources of an SM that have a capacity per cycle: its schedulers (instructions), each pipe
// (instructions), and L1 (bytes).
constexpr std::size_t kLocalResources = kPipes + 2;
using LocalResources = std::array<double, kLocalResources>;

// The warps of one kernel on one SM.
struct FluidLoad {
  std::size_t kernel = 0;
  double warps = 0.0;
  double cycles = 1.0;      // mean number of cycles from an instruction of a warp to its next one, without queues
  double l2_waits = 0.0;    // requests to L2 for which a warp waits, per instruction
  double dram_waits = 0.0;  // number of these requests that go to DRAM
  LocalResources use = {};  // use of each local resource per instruction
  double l2_bytes = 0.0;    // bytes from and to L2 per instruction
  double dram_bytes = 0.0;  // bytes from and to DRAM per instruction
  double dram_time = 0.0;   // time of DRAM per instruction, in bytes that DRAM could move in that time
};

// A number of SMs on which the same blocks run.
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
// The number of blocks of a kernel on an SM; the kernel is an index into `kernels`. There are no entries with 0 blocks.
struct ResidentBlocks {
  std::size_t kernel = 0;
  unsigned blocks = 0;

  auto operator<=>(const ResidentBlocks&) const = default;
};
FluidSm fluid_sm(const GpuModel& gpu, Megahertz clock, std::span<const SimulatedKernel> kernels,
                 std::span<const ResidentBlocks> residents);

// Returns how many instructions per cycle a warp of each load issues if the memory has these delays.
std::vector<double> local_rates(const FluidLimits& limits, const FluidSm& sm, const FluidDelays& delays);
// Returns the delays at which demand and capacity of L2 and DRAM are equal. The search starts from `guess`, earlier
// delays.
FluidDelays settled_delays(const FluidLimits& limits, std::span<const FluidSm> sms, const FluidDelays& guess);

}  // namespace wattune::simulate
