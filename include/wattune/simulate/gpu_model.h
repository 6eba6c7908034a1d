// GpuModel describes the parts of a GPU that matter to kernels that share it: its multiprocessors (SMs), its memory,
// and the way it hands out blocks. A table holds the GPUs that Wattune knows. BlockCosts are what a block of a kernel
// costs on any GPU.
//
// All types are values, and any thread may use them. model::SmRoom gives the capacity of one SM for the compute
// capability. src/simulate/gpu/gpu_table.cc tells which numbers are published and which are assumed; docs/simulate.md
// has the table.
//
//   simulate::GpuModel gpu = *simulate::find_gpu_model("H100");
//   gpu.variation_of_blocks = 0.05;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::simulate {

// The units of an SM that execute instructions. `memory` is busy for a cycle with each request.
enum class Pipe { fp32, integer, special, fp64, tensor, memory };
constexpr std::size_t kPipes = 6;
WATTUNE_EXPORT std::string_view to_string(Pipe pipe);
constexpr std::uint64_t kSectorBytes = 32;  // granularity of accesses to L2 and DRAM

// The model of one GPU.
struct WATTUNE_EXPORT GpuModel {
  std::string name;
  model::ComputeCapability capability;
  unsigned sms = 1;
  Megahertz clock;
  unsigned schedulers = 1;                     // schedulers per SM
  double issue_rate = 1.0;                     // warp instructions that each scheduler can issue per cycle
  double arithmetic_latency = 4.0;             // cycles until a warp can use the result of an instruction
  std::array<double, kPipes> pipe_rates = {};  // warp instructions that each pipe takes per cycle
  double l1_bytes_per_cycle = 128.0;           // bytes of L1 per cycle and SM, including shared memory
  double l2_gigabytes_per_second = 0.0;
  double dram_gigabytes_per_second = 0.0;
  double l2_latency = 0.0;           // cycles until a request that hits L2 is answered
  double dram_latency = 0.0;         // cycles, at `clock`, until a request that misses L2 is answered
  double latency_per_request = 0.0;  // cycles by which each request in flight on an SM delays another one
  double dram_mixing_loss = 0.0;     // share of its time that DRAM loses when kernels take turns
  unsigned hardware_queues = 1;      // queues to which streams are assigned by a hash
  unsigned resident_grids = 16;      // grids that may have blocks on the SMs at once
  Nanoseconds launch_gap;            // time from the end of a launch to the first block of the next in its stream
  Nanoseconds grid_interval;         // time between launches that are handed to the block scheduler
  Nanoseconds block_interval;        // time between blocks that are given to SMs
  double variation_of_blocks = 0.0;  // standard deviation over mean of a block's work, added to the kernel's own
  std::string board;                 // name of the board in board_models(), for power and clocks; may be empty
};

// Returns all GPUs of the table.
WATTUNE_EXPORT const std::vector<GpuModel>& gpu_models();
// Finds a GPU by its name; nullptr if no GPU has that name.
WATTUNE_EXPORT const GpuModel* find_gpu_model(std::string_view name);

// Returns the GPU reduced to this many SMs, with their share of L2 and DRAM. It is faster to simulate in detail.
WATTUNE_EXPORT GpuModel with_sms(GpuModel gpu, unsigned sms);

// The costs of a block of a kernel: means over the blocks that the PTX interpreter ran on the host. Instructions and
// accesses are those of warps.
struct WATTUNE_EXPORT BlockCosts {
  double issued = 0.0;
  std::array<double, kPipes> pipes = {};
  double bytes_read = 0.0;  // bytes from global memory, as if there were no cache
  double bytes_written = 0.0;
  double accesses = 0.0;  // accesses to global or shared memory
  double shared_accesses = 0.0;
  double barriers = 0.0;
};

}  // namespace wattune::simulate
