// Simulated kernels that share a GPU: the eight of Kernelet, and three probes that were measured on an H100.
//
// All types are values, and any thread may use them. A simulated kernel computes nothing. Its demands on a GPU are
// fitted only to measurements of the kernel alone; docs/simulate.md tells which number of each kernel was used.
//
//   for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) run(row.kernel);
#pragma once

#include <vector>

#include "simulate/interface/simulated_kernel.h"
#include "wattune/model/pair_choice.h"
#include "wattune/model/pairing.h"

namespace wattune::inline v0_1::simulate {

// The numbers of Kernelet's table 4 for a kernel on one GPU.
struct PublishedRun {
  model::Utilisation utilisation;
  double occupancy = 0.0;
};

struct KerneletKernel {
  SimulatedKernel kernel;  // blocks and threads as in table 3
  PublishedRun c2050;
  PublishedRun gtx680;
};

// Returns the eight kernels PC, SAD, SPMV, ST, MM, MRIQ, BS and TEA, in this order.
const std::vector<KerneletKernel>& kernelet_kernels();

// Returns one of three probes of an H100: fused multiply-adds, dependent random reads, or a copy. Each takes about 20
// ms alone.
SimulatedKernel fma_probe();
SimulatedKernel gather_probe();
SimulatedKernel copy_probe();

// Describes a GPU for Kernelet's chain (model/warp_chain.h). A request takes the time in which DRAM moves 128 bytes.
model::ChainSm chain_sm(const GpuModel& gpu);
// Describes a kernel on that GPU for the chain. The resources of its `busy_cycles` are the pipes, in their order, and
// L2.
model::WarpProfile chain_profile(const SimulatedKernel& kernel, const GpuModel& gpu);
// Describes a kernel as one of a pair for the planner (model/pairing.h). Fails with not_found or invalid_argument, as
// model::occupancy() does.
Result<model::PairKernel> pair_kernel(const SimulatedKernel& kernel, const GpuModel& gpu);

}  // namespace wattune::simulate
