// SimulatedKernel describes a kernel to a simulated GPU: the resources of its blocks and the instructions of its warps.
//
// A value; any thread may use it. Ratios refer to all instructions of a warp.
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

namespace wattune::inline v0_1::simulate {

struct SimulatedKernel {
  std::string name;
  model::BlockDemand block;
  std::uint64_t blocks = 1;    // blocks of the whole grid
  double instructions = 1000;  // instructions of each warp
  // Share of instructions that each pipe takes. Accesses to global memory are not included; the memory pipe takes them
  // anyway. The remaining instructions need only a scheduler.
  std::array<double, kPipes> mix = {};
  // Mean number of instructions of a warp that do not wait for each other. The warp issues one every arithmetic_latency
  // / instruction_parallelism cycles.
  double instruction_parallelism = 1.0;
  double coalesced = 0.0;  // share of instructions that access global memory, miss L1 and make one request
  double scattered = 0.0;  // share that access global memory, miss L1 and make `scattered_requests` requests
  double scattered_requests = 32.0;
  double coalesced_bytes = 128.0;  // bytes of each coalesced request
  double scattered_bytes = 32.0;
  double l2_hit = 0.0;               // share of requests that hit L2
  double scattered_dram_cost = 1.0;  // DRAM time of a scattered byte relative to a coalesced one
  double l1_bytes = 0.0;             // bytes from and to L1 and shared memory, per instruction
  double memory_parallelism = 1.0;   // accesses that a warp makes before it waits for them
  double sharing_loss = 0.0;         // share of L2 hits lost if all other warps of its SM are another kernel's
  double variation = 0.0;            // standard deviation of the work of blocks, divided by its mean
  double tail_share = 0.0;           // share of blocks that have more work
  double tail_work = 1.0;            // work of those blocks, as a multiple of the others'

  unsigned warps() const { return (block.threads + 31) / 32; }
  // Returns the number of cycles from an instruction of a warp to its next one, if nothing else delays it.
  double issue_distance(const GpuModel& gpu) const {
    return std::max(1.0, gpu.arithmetic_latency / instruction_parallelism);
  }
  double instructions_per_block() const { return instructions * warps(); }
  // Returns the bytes that an instruction moves from and to L2, on average. dram_bytes() returns the bytes that it
  // moves from and to DRAM.
  double l2_bytes() const { return coalesced * coalesced_bytes + scattered * scattered_requests * scattered_bytes; }
  double dram_bytes(double hit) const { return l2_bytes() * (1.0 - hit); }
  // Returns the mean number of requests of an instruction.
  double requests() const { return coalesced + scattered * scattered_requests; }
};

// Checks the members. Fails with invalid_argument, naming the member and its value, if one is out of range.
Result<void> check(const SimulatedKernel& kernel);

}  // namespace wattune::simulate
