// Kernels of a GT 640: the eleven of Jiao et al., and families of others like them, to train and to test models with.
//
// Jiao, Lu, Huynh and Mitra (model/kernel_features.h), table 3. Values; any thread. Fitted to what the paper prints of
// each kernel alone, and to nothing that it says of two (docs/simulate.md).
//
//   for (const simulate::Gt640Kernel& row : simulate::gt640_kernels()) run(row.kernel);
//   const auto micro = simulate::gt640_micro_kernels(190, 1);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

// The GPU that they are fitted to: the preset GT640.
const GpuModel& gt640();

struct Gt640Kernel {
  SimulatedKernel kernel;
  double gops = 0.0;                  // table 3: 1e9 instructions of warps per second, alone at the highest clocks
  double gigabytes_per_second = 0.0;  // and what it moves from and to DRAM
  unsigned resident = 8;              // blocks that an SM holds
};

// Pathfinder, Bitonic, Bt, Hotspot, Layer, Samplerank, Srad, Matrix, Time_step, Mergehist, Transpose.
const std::vector<Gt640Kernel>& gt640_kernels();
// nullptr: there is none of that name.
const Gt640Kernel* find_gt640_kernel(std::string_view name);

// So many kernels that load the pipes, shared memory, L2 and DRAM by random shares, each mostly one of them.
std::vector<SimulatedKernel> gt640_micro_kernels(std::size_t count, std::uint64_t seed);
// So many that differ from one of the eleven in all that it asks for, by up to a factor of 1.5. Another seed gives
// others.
std::vector<SimulatedKernel> gt640_varied_kernels(std::size_t count, std::uint64_t seed);

}  // namespace wattune::simulate
