// Computes how many instructions per cycle one or two kernels issue on a streaming multiprocessor (SM) that they share,
// from a profile of each. This is Kernelet's Markov chain.
//
// The source is Zhong and He, "Kernelet: High-Throughput GPU Kernel Executions with Dynamic Slicing and Scheduling",
// section 4.4. Its printed errors are corrected here (docs/model.md). A state of the chain tells how many warps of each
// kernel wait for memory. All functions are pure functions of values, and any thread may call them.
//
//   const model::WarpProfile add{.stalls = {{.ratio = 0.2, .latency = 600}}};
//   const model::WarpProfile fma{.issue_distance = 4};
//   const auto ipc = model::instructions_per_cycle(sm, std::array{model::WarpLoad{add, 32}, model::WarpLoad{fma, 32}});
#pragma once

#include <span>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::model {

// Instructions of one kind that make their warp wait for memory.
struct WATTUNE_EXPORT StallKind {
  double ratio = 0.0;     // Rm: share of all instructions, 0 to 1
  double latency = 0.0;   // L0: cycles that an access waits if no other access is in flight
  double queued = 1.0;    // share of accesses that wait in the memory's queue; the others are answered before it
  double requests = 1.0;  // requests to the memory per access: 1 if coalesced, up to 32 if not
};

// The instructions of a kernel's warps, as far as they decide how often the warps wait.
struct WATTUNE_EXPORT WarpProfile {
  // The kinds of instructions that wait; empty if the warps never wait. With two kinds, a warp has three states: ready,
  // and waiting in one of two ways (coalesced and not).
  std::vector<StallKind> stalls;
  double issue_distance = 1.0;  // cycles from an instruction of a warp to its next one, 1 in the paper
  // Mean cycles for which an instruction keeps further resources of the SM busy, such as pipes and its share of L2. All
  // kernels list the resources in the same order. Kernelet's chain has no such resources.
  std::vector<double> busy_cycles = {};
};

// An SM with its share of the memory.
struct WATTUNE_EXPORT ChainSm {
  unsigned schedulers = 1;
  double issue_rate = 1.0;          // instructions that a scheduler can issue in a cycle
  double requests_per_cycle = 1.0;  // B: requests that the memory serves per cycle
  double contention = 1.0;          // a0: share by which an access waits for all requests in flight
  double offset = 0.0;              // b0, a constant, in cycles
};

// A kernel with its resident warps.
struct WATTUNE_EXPORT WarpLoad {
  WarpProfile profile;
  unsigned warps = 0;  // warps resident on the SM
};

struct WATTUNE_EXPORT ChainOptions {
  // Number of warps of a scheduler that move together, as the warps of a block do in the Kernelet paper. A larger
  // number makes the chain smaller, which helps if warps of two kernels have three states each. But the result is less
  // exact.
  unsigned warps_per_unit = 1;
  // The largest number of states of a chain; time grows with its cube.
  unsigned most_states = 2500;
};

// Computes the instructions per cycle of the SM for each of one or two loads (equations 4 to 6). Fails with
// invalid_argument if a load, the SM or the options are not possible, or if the chain has too many states.
WATTUNE_EXPORT Result<std::vector<double>> instructions_per_cycle(const ChainSm& sm, std::span<const WarpLoad> loads,
                                                                  const ChainOptions& options = {});

}  // namespace wattune::model
