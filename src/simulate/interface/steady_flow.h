// SteadyFlow is the steady state of a simulated GPU on which each kernel keeps a fixed number of blocks on every SM.
// best_efficiency() finds the clocks at which such a GPU does the most operations per joule. These functions are fast
// enough for an exhaustive search with thousands of calls.
//
// All functions are pure functions of values, and any thread may call them. Operations are instructions of warps, as
// Jiao et al. count them (model/kernel_features.h).
//
//   const simulate::GpuModel& gpu = simulate::gt640();   // gt640_kernels.h
//   const std::array pair = {simulate::Residents{&hotspot, 3}, simulate::Residents{&mergehist, 5}};
//   const simulate::Efficiency best = simulate::best_efficiency(gpu, pair);
//   print(best.clocks.core, best.clocks.memory, best.operations_per_joule());
#pragma once

#include <span>
#include <vector>

#include "simulate/interface/board_model.h"
#include "simulate/interface/simulated_gpu.h"
#include "simulate/interface/simulated_kernel.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

// The clocks of the cores and of the memory.
struct ClockPair {
  Megahertz core;
  Megahertz memory;

  bool operator==(const ClockPair&) const = default;
};

// Returns the clocks of the GPU's board: core clocks ascending, each with all memory clocks ascending. Returns only the
// GPU's own clock, with a memory clock of 0 MHz, if the GPU has no board.
std::vector<ClockPair> clock_pairs(const GpuModel& gpu);
ClockPair highest_clocks(const GpuModel& gpu);
// Returns the GPU at these clocks. L2 runs at the core clock; the latency of DRAM is constant in nanoseconds.
GpuModel at_clocks(GpuModel gpu, const ClockPair& clocks);

// A kernel, and the number of its blocks that stay on each SM.
struct Residents {
  const SimulatedKernel* kernel = nullptr;
  unsigned blocks = 1;
};

// The rates of the steady state.
struct SteadyFlow {
  std::vector<double> rates;            // rate of each kernel, in 1e9 operations per second
  double operations = 0.0;              // operations of all kernels together, in 1e9 per second
  double dram_gigabytes = 0.0;          // traffic from and to DRAM, in GB per second
  Activity activity = {};               // activity of the board's parts, relative to the most that the clocks allow
  model::KernelFeatures features = {};  // features of all kernels together, as if they were one kernel
};

// Computes the rates as Fidelity::fast does, at the clocks of the model. Precondition: the blocks fit on an SM
// together.
SteadyFlow steady_flow(const GpuModel& gpu, std::span<const Residents> residents);
// Measures the rates in a simulated run of this many instructions, in which each block that ends is replaced. The first
// third of the run does not count. Fails with invalid_argument if a kernel is invalid, if the blocks do not fit on an
// SM together, if nothing runs, or if `instructions` is not positive.
Result<SteadyFlow> simulated_flow(const GpuModel& gpu, std::span<const Residents> residents, const GpuOptions& options,
                                  double instructions);

// A flow with the power of the board.
struct Efficiency {
  ClockPair clocks;
  SteadyFlow flow;
  Watts power;  // power of the board, at 50 °C

  double operations_per_joule() const { return 1e9 * flow.operations / power.value(); }
};

// Adds the board's power to a flow. Precondition: the GPU has a board.
Efficiency efficiency_of(const GpuModel& gpu, const ClockPair& clocks, SteadyFlow flow);
Efficiency efficiency_at(const GpuModel& gpu, const ClockPair& clocks, std::span<const Residents> residents);
// Returns the flow and its power at the pair of clocks with the most operations per joule.
Efficiency best_efficiency(const GpuModel& gpu, std::span<const Residents> residents);

}  // namespace wattune::simulate
