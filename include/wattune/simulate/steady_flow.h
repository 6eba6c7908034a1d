// SteadyFlow: what kernels do while so many blocks of each stay on every SM of a simulated GPU, at any clocks, and how
// many operations per joule that makes: what an exhaustive search asks thousands of times.
//
// Pure functions of values; any thread may call. Operations are instructions of warps, as Jiao et al. count them
// (model/kernel_features.h).
//
//   const simulate::GpuModel& gpu = simulate::gt640();   // gt640_kernels.h
//   const std::array pair = {simulate::Residents{&hotspot, 3}, simulate::Residents{&mergehist, 5}};
//   const simulate::Efficiency best = simulate::best_efficiency(gpu, pair);
//   print(best.clocks.core, best.clocks.memory, best.operations_per_joule());
#pragma once

#include <span>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/kernel_features.h"
#include "wattune/simulate/board_model.h"
#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/simulated_gpu.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

struct ClockPair {
  Megahertz core;
  Megahertz memory;

  bool operator==(const ClockPair&) const = default;
};

// Of the GPU's board, the core's lowest first, each with its memory's lowest first; the GPU's own where it has none.
std::vector<ClockPair> clock_pairs(const GpuModel& gpu);
ClockPair highest_clocks(const GpuModel& gpu);
// The same GPU at these clocks: L2 has the core's, latency of DRAM stays the same in nanoseconds.
GpuModel at_clocks(GpuModel gpu, const ClockPair& clocks);

// Blocks of a kernel that stay on each SM.
struct Residents {
  const SimulatedKernel* kernel = nullptr;
  unsigned blocks = 1;
};

struct SteadyFlow {
  std::vector<double> rates;            // of each kernel: 1e9 operations per second
  double operations = 0.0;              // of all of them
  double dram_gigabytes = 0.0;          // per second
  Activity activity = {};               // of what the clocks allow
  model::KernelFeatures features = {};  // of all that runs, as of one kernel
};

// By the fast fidelity's rates, at the clocks of the model. Precondition: they fit on an SM.
SteadyFlow steady_flow(const GpuModel& gpu, std::span<const Residents> residents);
// The same of a run of so many instructions, the first third unseen, in which each ended block is replaced.
// invalid_argument: kernels that cannot be or do not fit on an SM together, nothing that runs, no positive number of
// instructions.
Result<SteadyFlow> simulated_flow(const GpuModel& gpu, std::span<const Residents> residents, const GpuOptions& options,
                                  double instructions);

struct Efficiency {
  ClockPair clocks;
  SteadyFlow flow;
  Watts power;  // of the board, at 50 °C

  double operations_per_joule() const { return 1e9 * flow.operations / power.value(); }
};

// Precondition: the GPU has a board.
Efficiency efficiency_of(const GpuModel& gpu, const ClockPair& clocks, SteadyFlow flow);
Efficiency efficiency_at(const GpuModel& gpu, const ClockPair& clocks, std::span<const Residents> residents);
// Of all pairs of clocks the one with the most operations per joule.
Efficiency best_efficiency(const GpuModel& gpu, std::span<const Residents> residents);

}  // namespace wattune::simulate
