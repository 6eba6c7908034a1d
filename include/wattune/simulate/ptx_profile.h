// What a block of a kernel costs, counted on some of its blocks, which run on the host: a profile for GPUs that keep
// their performance counters to themselves.
//
//   WATTUNE_ASSIGN(const BlockCosts block, simulate::count_block(module, "copy", geometry, parameters, memory));
//   const std::vector<double> use = simulate::use_of(block, blocks, measured_time, *simulate::find_gpu_model("H200"));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wattune/core/units.h"
#include "wattune/model/pair_choice.h"
#include "wattune/simulate/ptx_costs.h"
#include "wattune/simulate/ptx_run.h"
#include "wattune/simulate/simulated_gpu.h"

namespace wattune::simulate {

// Means of the blocks that were counted.
struct BlockCosts {
  double issued = 0.0;
  std::array<double, kPipes> pipes = {};
  double bytes_read = 0.0;  // of global memory, as if no cache answered
  double bytes_written = 0.0;
  double accesses = 0.0;  // to global or shared memory
  double shared_accesses = 0.0;
  double barriers = 0.0;
};

struct BlockSampleOptions {
  std::size_t blocks = 4;  // as many, evenly spread over the grid; all of a smaller one
  std::size_t dynamic_shared_bytes = 0;
  // Of all of them. No more blocks begin when they are used up; a block that passes them by itself ends it.
  std::uint64_t most_instructions = 50'000'000;
};

// Runs blocks one after the other, each as the only one that is there. They write to `memory`. Errors of
// PtxRun::start() and advance(); timeout: the first block has too many instructions, or waits for others forever.
Result<BlockCosts> count_block(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                               std::span<const std::byte> parameters, VirtualMemory& memory,
                               const BlockSampleOptions& options = {});

// The resources that use_of() speaks of, in its order: issue slots, the pipes, L2, DRAM. SMs have the first of their
// own, and all share the last two.
constexpr std::size_t kResources = kPipes + 3;
constexpr std::size_t kSmResources = kPipes + 1;
std::string_view name_of_resource(std::size_t place);  // "issue", "fp32" ... "l2", "dram"

// The share of its time for which a grid keeps each resource of the GPU busy, 0 to 1, at the GPU's nominal clock. What
// the caches answer counts as L2's and DRAM's, so that their shares are upper bounds; what would pass 1 is 1.
// Precondition: a positive time.
std::vector<double> use_of(const BlockCosts& block, std::uint64_t blocks, Nanoseconds time, const GpuModel& gpu);
// The same of a simulated kernel, with what was moved in that time.
std::vector<double> use_of(const SimulatedKernel& kernel, Nanoseconds time, const GpuCounters& moved,
                           const GpuModel& gpu);

// Kernelet's PUR and MUR: of issue slots and of DRAM.
model::Utilisation utilisation_of(std::span<const double> use);

// The preset that this device's name contains ("NVIDIA H200"), the longest of several; nullptr: none.
const GpuModel* gpu_model_of_device(std::string_view device_name);

}  // namespace wattune::simulate
