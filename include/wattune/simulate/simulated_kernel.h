// SimulatedKernel: what a simulated GPU must know of a kernel: what its blocks take, and what its warps do.
//
// A value; any thread. Ratios are of all instructions of a warp.
//
//   const simulate::SimulatedKernel copy{.name = "copy", .block = {.threads = 256, .registers = 32}, .blocks = 4096,
//                                        .instructions = 500, .coalesced = 0.2, .memory_parallelism = 4};
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "wattune/core/result.h"
#include "wattune/model/occupancy.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::simulate {

struct SimulatedKernel {
  std::string name;
  model::BlockDemand block;
  std::uint64_t blocks = 1;    // of the whole grid
  double instructions = 1000;  // of each warp
  // Those that each pipe takes beside accesses to global memory, which the memory pipe takes in any case; the rest
  // needs a scheduler only.
  std::array<double, kPipes> mix = {};
  // Instructions of a warp that do not wait for each other, on average: it issues one each arithmetic latency over
  // this.
  double instruction_parallelism = 1.0;
  double coalesced = 0.0;  // accesses to global memory that L1 does not answer, one request each
  double scattered = 0.0;  // the same, with `scattered_requests` each
  double scattered_requests = 32.0;
  double coalesced_bytes = 128.0;  // of a request
  double scattered_bytes = 32.0;
  double l2_hit = 0.0;               // share of requests
  double scattered_dram_cost = 1.0;  // DRAM's time for scattered bytes over that for coalesced ones
  double l1_bytes = 0.0;             // to L1 and shared memory by an instruction, on average
  double memory_parallelism = 1.0;   // accesses that a warp makes before it waits for them
  double sharing_loss = 0.0;         // share of its hits that it loses where all other warps of an SM are of others
  double variation = 0.0;            // standard deviation over mean of a block's work
  double tail_share = 0.0;           // share of blocks that have more work,
  double tail_work = 1.0;            // so many times as much

  unsigned warps() const { return (block.threads + 31) / 32; }
  // Cycles from an instruction of a warp to its next one, where nothing else delays it.
  double issue_distance(const GpuModel& gpu) const {
    return std::max(1.0, gpu.arithmetic_latency / instruction_parallelism);
  }
  double instructions_per_block() const { return instructions * warps(); }
  // Bytes that an instruction moves from and to L2, and beyond it to DRAM, on average.
  double l2_bytes() const { return coalesced * coalesced_bytes + scattered * scattered_requests * scattered_bytes; }
  double dram_bytes(double hit) const { return l2_bytes() * (1.0 - hit); }
  // Requests that an instruction makes, on average.
  double requests() const { return coalesced + scattered * scattered_requests; }
};

// invalid_argument, naming the member and its value.
Result<void> check(const SimulatedKernel& kernel);

}  // namespace wattune::simulate
