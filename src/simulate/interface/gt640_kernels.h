// Kernels of a GT 640: the eleven of Jiao et al., and families of similar kernels to train and to test models with.
//
// The eleven kernels are those of Jiao, Lu, Huynh and Mitra (model/kernel_features.h), table 3. All types are values,
// and any thread may use them. The kernels are fitted only to the paper's numbers for each kernel alone, and not to
// those for pairs (docs/simulate.md).
//
//   for (const simulate::Gt640Kernel& row : simulate::gt640_kernels()) run(row.kernel);
//   const auto micro = simulate::gt640_micro_kernels(190, 1);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulate/interface/simulated_kernel.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

// Returns the GPU to which the kernels are fitted: the preset GT640.
const GpuModel& gt640();

struct Gt640Kernel {
  SimulatedKernel kernel;
  double gops = 0.0;                  // table 3: 1e9 warp instructions per second, alone at the highest clocks
  double gigabytes_per_second = 0.0;  // table 3: traffic from and to DRAM, alone
  unsigned resident = 8;              // blocks that an SM holds
};

// Returns Pathfinder, Bitonic, Bt, Hotspot, Layer, Samplerank, Srad, Matrix, Time_step, Mergehist and Transpose.
const std::vector<Gt640Kernel>& gt640_kernels();
// Finds a kernel by its name; nullptr if no kernel has that name.
const Gt640Kernel* find_gt640_kernel(std::string_view name);

// Returns `count` kernels that load the pipes, shared memory, L2 and DRAM by random shares. Each kernel is drawn
// between a kernel that mostly computes and one that mostly moves data.
std::vector<SimulatedKernel> gt640_micro_kernels(std::size_t count, std::uint64_t seed);
// Returns `count` kernels, each a copy of one of the eleven with every demand changed by a random factor of up to 1.5.
// The factors depend on the seed.
std::vector<SimulatedKernel> gt640_varied_kernels(std::size_t count, std::uint64_t seed);

}  // namespace wattune::simulate
