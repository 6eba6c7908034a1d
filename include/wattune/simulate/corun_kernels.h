// Kernels that share a GPU in papers and probes, as simulated ones: the eight of Kernelet and the three that were
// measured on an H100.
//
// Values; any thread. What each one computes is lost; what it asks of a GPU is fitted to how it runs alone, and to
// nothing else (docs/simulate.md says by which number of each).
//
//   for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) run(row.kernel);
#pragma once

#include <vector>

#include "wattune/model/pair_choice.h"
#include "wattune/model/pairing.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

// What table 4 of Kernelet says of a kernel on one GPU.
struct PublishedRun {
  model::Utilisation utilisation;
  double occupancy = 0.0;
};

struct KerneletKernel {
  SimulatedKernel kernel;  // blocks and threads of table 3
  PublishedRun c2050;
  PublishedRun gtx680;
};

// PC, SAD, SPMV, ST, MM, MRIQ, BS, TEA.
const std::vector<KerneletKernel>& kernelet_kernels();

// The probes of an H100: FMA, dependent random reads and a copy, each about 20 ms alone.
SimulatedKernel fma_probe();
SimulatedKernel gather_probe();
SimulatedKernel copy_probe();

// The GPU and a kernel on it as Kernelet's chain sees them. A request is 128 bytes of DRAM's time. The chain knows no
// pipes and no bandwidth of L2.
model::ChainSm chain_sm(const GpuModel& gpu);
model::WarpProfile chain_profile(const SimulatedKernel& kernel, const GpuModel& gpu);
// not_found, invalid_argument: as model::occupancy().
Result<model::PairKernel> pair_kernel(const SimulatedKernel& kernel, const GpuModel& gpu);

}  // namespace wattune::simulate
