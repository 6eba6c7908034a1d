// Profiles kernels by running some of their blocks on the host and counting their instructions and accesses. This is
// meant for GPUs whose performance counters cannot be read.
//
//   WATTUNE_ASSIGN(const BlockCosts block, simulate::count_block(module, "copy", geometry, parameters, memory));
//   const std::vector<double> use = simulate::use_of(block, blocks, measured_time, *simulate::find_gpu_model("H200"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulate/interface/ptx_costs.h"
#include "simulate/interface/ptx_run.h"
#include "simulate/interface/simulated_gpu.h"
#include "wattune/core/units.h"
#include "wattune/model/pair_choice.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

struct BlockSampleOptions {
  std::uint64_t seed = 1;  // seed for drawing the blocks
  std::size_t dynamic_shared_bytes = 0;
  // The largest number of instructions of all counted blocks together, where reading a page of `memory` counts as
  // 1,000. When it is reached, no further block begins. A block that exceeds the number by itself is an error
  // (timeout).
  std::uint64_t most_instructions = 50'000'000;
};

// Runs blocks one after the other, each as the only one on the device, and returns their mean costs. The blocks write
// to `memory`. A grid of up to 256 blocks is counted whole. A larger grid is cut along all of its axes into 16 equal
// cells, and one block of each cell is drawn. Then the grid is cut into 64 cells, and so on up to 4,096. Counting ends
// when the standard error of the mean is under 10 %, but not before a part of most_instructions was spent. The first
// and the last block of a large grid, which often do more than others, are counted by themselves.
//
// Fails with unavailable if the mean is not known to 10 % in the end. Other errors are those of PtxRun::start() and
// advance(). Among them is timeout for a block that has too many instructions by itself, for instance because it waits
// for other blocks forever.
Result<BlockCosts> count_block(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                               std::span<const std::byte> parameters, VirtualMemory& memory,
                               const BlockSampleOptions& options = {});

// Resources in the order of use_of(): issue slots, the pipes, L2, DRAM. Each SM has its own issue slots and pipes; all
// SMs share L2 and DRAM.
constexpr std::size_t kResources = kPipes + 3;
constexpr std::size_t kSmResources = kPipes + 1;
std::string_view name_of_resource(std::size_t place);  // "issue", "fp32" ... "l2", "dram"

// Returns the share of `time` for which a grid keeps each resource of the GPU busy, 0 to 1, at the GPU's nominal clock.
// Accesses that caches answer are counted as accesses to L2 and DRAM, too, so these two shares are upper bounds. Shares
// above 1 are cut to 1. Precondition: `time` is positive.
std::vector<double> use_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu);
// Returns the shares of use for a simulated kernel that ran for `time`; `moved` has the counters of that time.
std::vector<double> use_of(const SimulatedKernel& kernel, Nanoseconds time, const GpuCounters& moved,
                           const GpuModel& gpu);

// Extracts Kernelet's PUR and MUR, the use of the issue slots and of DRAM.
model::Utilisation utilisation_of(std::span<const double> use);

// Finds the GPU model whose name is contained in this device's name ("NVIDIA H200"); among several, the model with the
// longest name. Returns nullptr if there is none.
const GpuModel* gpu_model_of_device(std::string_view device_name);

}  // namespace wattune::simulate
